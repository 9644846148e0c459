/** The database was brought back to an earlier state while its server went on. */
export class SetBacks {
  private readonly listeners: (() => Promise<void>)[] = [];

  /** The listener is called again if it, or another one, fails. */
  onFound(listener: () => Promise<void>): void {
    this.listeners.push(listener);
  }

  async report(): Promise<void> {
    for (const listener of this.listeners) await listener();
  }
}
