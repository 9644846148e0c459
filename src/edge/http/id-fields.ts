const fields = new WeakMap<object, Set<string>>();

export const HoldsId: PropertyDecorator = ({ constructor }, property) => {
  fields.set(constructor, (fields.get(constructor) ?? new Set()).add(String(property)));
};

export function idFieldsOf(model: unknown): ReadonlySet<string> {
  const found = new Set<string>();
  for (let each = model; typeof each === 'function'; each = Object.getPrototypeOf(each))
    for (const name of fields.get(each) ?? []) found.add(name);
  return found;
}
