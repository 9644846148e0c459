const fields = new WeakMap<object, Set<string>>();

/** Records that a field of a request class holds an id, or a list of ids. */
export const HoldsId: PropertyDecorator = ({ constructor }, property) => {
  fields.set(constructor, (fields.get(constructor) ?? new Set()).add(String(property)));
};

/** The fields of a request class that hold ids, inherited ones included. */
export function idFieldsOf(model: unknown): ReadonlySet<string> {
  const found = new Set<string>();
  for (let each = model; typeof each === 'function'; each = Object.getPrototypeOf(each))
    for (const name of fields.get(each) ?? []) found.add(name);
  return found;
}
