export class Registry<V> extends Map<string, V> {
  /** @param kind names the registered values in the error: `The search field`. */
  constructor(private readonly kind: string) {
    super();
  }

  add(name: string, value: V): void {
    if (this.has(name)) throw new Error(`${this.kind} ${name} is registered already.`);
    this.set(name, value);
  }
}
