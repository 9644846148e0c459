/** The fields of an entity, without its methods. */
export type DataOf<T> = {
  readonly [K in keyof T as T[K] extends (...args: never[]) => unknown ? never : K]: T[K];
};

/** The next state of an entity: a copy with some fields changed. Entities are values; nothing is changed in place. */
export function evolve<T extends object>(entity: T, changes: Partial<DataOf<T>>): T {
  return Object.assign(Object.create(Object.getPrototypeOf(entity)) as T, entity, changes);
}
