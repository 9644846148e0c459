import { useLocation } from 'preact-iso';
import { useEffect, useRef } from 'preact/hooks';
import { text } from '../text.js';
import { choicesOf, type Entries, entriesOf, type Field, Input } from './form.js';

type Filters<Name extends string> = Readonly<Partial<Record<Name, string>>>;

/** The filters of a list, kept in the address: a link can set them, and going back restores them. */
export function useFilters<Name extends string>(...names: readonly Name[]) {
  const { path, query, route } = useLocation();
  const filters = Object.fromEntries(names.map((name) => [name, query[name] || undefined])) as Filters<Name>;
  const apply = (entries: Entries): void => {
    const next = new URLSearchParams();
    for (const name of names) if (entries.text(name) !== '') next.set(name, entries.text(name));
    route(next.size > 0 ? `${path}?${next.toString()}` : path);
  };
  return [filters, apply] as const;
}

/** The filter of a list by the state of its rows. */
export function stateFilter(states: readonly string[], value: string | undefined, name = 'status'): Field {
  return { name, label: text.state, type: 'select', value, options: [['', text.all], ...choicesOf(states)] };
}

/** The inputs of a list's filters. They apply on submit, so that a list is not loaded at every key. */
export function Filter({ fields, apply }: { fields: readonly Field[]; apply: (entries: Entries) => void }) {
  const form = useRef<HTMLFormElement>(null);
  // Without this, inputs would keep what was entered when the address changes.
  useEffect(
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
