import { useLocation } from 'preact-iso';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { epochOf, text } from '../text.js';
import { choicesOf, type Entries, entriesOf, type Field, Input } from './form.js';

export type FilterField<Name extends string> = Field & { readonly name: Name };

/** Filters are in the address: a link can set them, and going back restores them. Times are epoch seconds. */
export function useFilters<Name extends string>(fields: readonly FilterField<Name>[]) {
  const { url, path, query, route } = useLocation();
  const filled = fields.map((field) => ({ ...field, value: query[field.name] || undefined }));
  const apply = (entries: Entries): void => {
    const next = new URLSearchParams();
    for (const { name } of fields) if (entries.text(name) !== '') next.set(name, entries.text(name));
    const target = next.size > 0 ? `${path}?${next.toString()}` : path;
    if (target !== url) route(target);
  };
  const values = Object.fromEntries(
    filled.map(({ name, type, value }) => [name, value && type === 'datetime-local' ? String(epochOf(value)) : value]),
  ) as Readonly<Partial<Record<Name, string>>>;
  return { values, form: fields.length > 0 && <Filter fields={filled} apply={apply} /> };
}

export function stateFilter<Name extends string = 'status'>(
  states: readonly string[],
  name = 'status' as Name,
  label = text.state,
): FilterField<Name> {
  return { name, label, options: [['', text.all], ...choicesOf(states)] };
}

/** They apply on submit, so that a list does not load at every key. */
export function Filter({ fields, apply }: { fields: readonly Field[]; apply: (entries: Entries) => void }) {
  const form = useRef<HTMLFormElement>(null);
  // A change of the address resets the inputs, which would otherwise keep earlier entries. An effect after paint would reset new ones.
  useLayoutEffect(
    () => form.current?.reset(),
    fields.map(({ value }) => value),
  );
  return (
    <form
      ref={form}
      class="filter"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        apply(entriesOf(event.currentTarget));
      }}
    >
      {fields.map((field) => (
        <Input key={field.name} field={field} id={`filter-${field.name}`} isFilter />
      ))}
      <button type="submit">{text.filter}</button>
    </form>
  );
}
