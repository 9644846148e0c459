import { text } from '../text.js';
import { type Entries, entriesOf, type Field, Input } from './form.js';

/** The filters of a list. They apply on submit, so that a list is not loaded at every key. */
export function Filter({ fields, apply }: { fields: readonly Field[]; apply: (entries: Entries) => void }) {
  return (
    <form
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
