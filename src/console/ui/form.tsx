import type { ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { fieldErrors } from '../api.js';
import { changed } from '../load.js';
import { fill, nameOf, text } from '../text.js';
import { Problem } from './states.js';

export interface Field {
  /** The name in the request, so that the service's refusal of a field finds its input. */
  readonly name: string;
  readonly label: string;
  readonly type?: 'text' | 'url' | 'password' | 'number' | 'datetime-local' | 'checkbox' | 'textarea';
  readonly hint?: string;
  readonly value?: string | boolean;
  readonly options?: readonly (readonly [value: string, label: string])[];
  readonly isRequired?: boolean;
}

type LastPart<Name> = Name extends `${string}.${infer Rest}` ? LastPart<Rest> : Name;
type FieldOptions = Partial<Omit<Field, 'name' | 'label' | 'hint'>> & { readonly lines?: readonly string[] };

/** The last part of a field's name is the key of its label in the texts. `lines` makes an input with one entry per line. */
export const fieldsOf =
  <Texts extends object>(texts: Texts) =>
  <Name extends string>(
    name: LastPart<Name> extends keyof Texts ? Name : never,
    { lines, ...options }: FieldOptions = {},
  ): Field & { readonly name: Name } => {
    const [key] = name.split('.').slice(-1) as [string];
    const labels = texts as Readonly<Record<string, string>>;
    const area = lines && ({ type: 'textarea', value: lines.join('\n') } as const);
    return { name, label: labels[key]!, hint: labels[`${key}_hint`], ...area, ...options };
  };

export const choicesOf = <Value extends string>(values: readonly Value[]): (readonly [Value, string])[] =>
  values.map((value) => [value, nameOf(value)]);

/** A checkbox is true or false; a text has no surrounding spaces. */
export interface Entries {
  text(name: string): string;
  optional(name: string): string | undefined;
  optionals<Name extends string>(...names: readonly Name[]): Record<Name, string | undefined>;
  isOn(name: string): boolean;
  lines(name: string): string[];
}

export function entriesOf(form: HTMLFormElement): Entries {
  const data = new FormData(form);
  const textOf = (name: string): string => {
    const value = data.get(name);
    return typeof value === 'string' ? value.trim() : '';
  };
  return {
    text: textOf,
    optional: (name) => textOf(name) || undefined,
    optionals: <Name extends string>(...names: readonly Name[]) =>
      Object.fromEntries(names.map((name) => [name, textOf(name) || undefined])) as Record<Name, string | undefined>,
    isOn: (name) => data.has(name),
    lines: (name) =>
      textOf(name)
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== ''),
  };
}

/** An empty input leaves the overlap of two secrets to the service: 0 would end the former one at once. */
export function overlapIn(entries: Entries): { overlap_minutes?: number } {
  const minutes = entries.optional('overlap_minutes');
  return minutes === undefined ? {} : { overlap_minutes: Number(minutes) };
}

/** A reset copy has the initial values in the form of its inputs. */
function initialEntries(form: HTMLFormElement): Entries {
  const copy = form.cloneNode(true) as HTMLFormElement;
  copy.reset();
  return entriesOf(copy);
}

const isIn = (path: string, name: string): boolean =>
  path === name || path.startsWith(`${name}[`) || path.startsWith(`${name}.`);

/** The refusal may name a part of the value, such as `allowed_origins[1]`. */
function refusalOf({ name, label }: Field, refused: Readonly<Record<string, string>>): string | undefined {
  if (refused[name] !== undefined) return inWords(label, refused[name]);
  const part = Object.keys(refused).find((field) => isIn(field, name));
  if (part === undefined) return undefined;
  const line = /^\[(\d+)\]/.exec(part.slice(name.length))?.[1];
  return line === undefined ? refused[part] : fill(text.line, { line: Number(line) + 1, refusal: refused[part]! });
}

/** The service says what a value must be: with the label of the input that is a sentence. */
const inWords = (label: string, refusal: string): string =>
  /^[a-z]/.test(refusal) ? `${label} ${refusal}${refusal.endsWith('.') ? '' : '.'}` : refusal;

/** Refusals appear beside their inputs, other errors above the button. */
export function Form({
  fields,
  submitLabel,
  submit,
  done,
  extra,
  second,
  refusal = null,
  isDangerous = false,
  layout,
  edited,
  version,
}: {
  fields: readonly Field[];
  submitLabel: string;
  submit: (entries: Entries, initial: Entries) => Promise<unknown> | null;
  done?: string;
  extra?: ComponentChildren;
  /** Uses the entries and saves nothing. */
  second?: { label: string; run: (entries: Entries) => Promise<unknown>; refusal: string | null };
  refusal?: string | null;
  isDangerous?: boolean;
  /** The inputs are in one grid without it. */
  layout?: (input: (name: string) => ComponentChildren) => ComponentChildren;
  edited?: (entries: Entries) => void;
  /** A new version replaces the entries by the values of the fields. */
  version?: number;
}) {
  const [error, setError] = useState<unknown>();
  const [stage, setStage] = useState<'ready' | 'busy' | 'edited' | 'done'>('ready');
  // `edited` is busy too: a later entry was not sent.
  const isBusy = stage === 'busy' || stage === 'edited';
  const id = useId();
  const form = useRef<HTMLFormElement>(null);
  // Shows the saved values as the service returns them, unless more was entered meanwhile.
  const initial = JSON.stringify(fields.map(({ value }) => value));
  useEffect(() => {
    if (stage === 'done') form.current?.reset();
  }, [initial]);
  useLayoutEffect(() => form.current?.reset(), [version]);
  const refused = fieldErrors(error);
  const inputOf = (field: Field) => (
    <Input key={field.name} field={field} id={`${id}-${field.name}`} refusal={refusalOf(field, refused)} />
  );
  // A refused part of the request may have no input, such as a member that does not exist.
  const elsewhere = Object.keys(refused).filter((path) => !fields.some(({ name }) => isIn(path, name)));
  const isAboutFields = fields.some((field) => refusalOf(field, refused) !== undefined);
  const send = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (isBusy || refusal !== null) return;
    setStage('busy');
    setError(undefined);
    try {
      const sent = event.currentTarget as HTMLFormElement;
      await submit(entriesOf(sent), initialEntries(sent));
      setStage((now) => (now === 'busy' ? 'done' : 'ready'));
      changed();
    } catch (thrown) {
      setError(thrown);
      setStage('ready');
    }
  };
  const runSecond = (): void => {
    if (!second || second.refusal !== null || !form.current?.reportValidity()) return;
    setError(undefined);
    second.run(entriesOf(form.current)).catch(setError);
  };
  return (
    <form
      ref={form}
      onSubmit={(event) => void send(event as SubmitEvent)}
      onInput={() => {
        setStage(isBusy ? 'edited' : 'ready');
        edited?.(entriesOf(form.current!));
      }}
    >
      {layout ? (
        layout((name) => {
          const field = fields.find((each) => each.name === name);
          return field && inputOf(field);
        })
      ) : (
        <div class={fields.length > 6 ? 'fields many' : 'fields'}>{fields.map(inputOf)}</div>
      )}
      {error !== undefined &&
        (isAboutFields || elsewhere.length > 0 ? (
          <div class="notice bad" role="alert">
            {isAboutFields && <p>{text.errors.fields}</p>}
            {elsewhere.map((path) => (
              <p key={path}>
                <code>{path}</code> {refused[path]}
              </p>
            ))}
          </div>
        ) : (
          <Problem error={error} />
        ))}
      <div class="actions">
        <button
          type="submit"
          class={isDangerous ? 'danger' : 'primary'}
          aria-disabled={isBusy || refusal !== null}
          title={refusal ?? undefined}
        >
          {isBusy ? text.busy : submitLabel}
        </button>
        {second && (
          <button
            type="button"
            aria-disabled={second.refusal !== null}
            title={second.refusal ?? undefined}
            onClick={runSecond}
          >
            {second.label}
          </button>
        )}
        {extra}
        {done !== undefined && (
          <span role="status" class="good-text">
            {stage === 'done' ? done : ''}
          </span>
        )}
      </div>
    </form>
  );
}

export function Input({
  field,
  id,
  refusal,
  isFilter = false,
}: {
  field: Field;
  id: string;
  refusal?: string;
  isFilter?: boolean;
}) {
  const { name, label, type = 'text', hint, value, options, isRequired = false } = field;
  const describedBy = [hint && `${id}-hint`, refusal && `${id}-refusal`].filter(Boolean).join(' ') || undefined;
  const shared = {
    id,
    name,
    required: isRequired,
    'aria-describedby': describedBy,
    'aria-invalid': refusal !== undefined || undefined,
  };
  const initial = typeof value === 'string' ? value : undefined;
  const notes = (
    <>
      {hint && (
        <span class="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
      {refusal && (
        <span class="refusal" id={`${id}-refusal`}>
          {refusal}
        </span>
      )}
    </>
  );
  if (type === 'checkbox') {
    return (
      <div class="field check">
        <input {...shared} type="checkbox" defaultChecked={value === true} />
        <label for={id}>{label}</label>
        {notes}
      </div>
    );
  }
  return (
    <div class="field">
      <label for={id}>
        {label}
        {!isRequired && !isFilter && !options && <span class="faint"> {text.optional}</span>}
      </label>
      {options && (
        <select {...shared}>
          {options.map(([option, optionLabel]) => (
            // The attribute, to which a reset goes back. Preact's types lack the property.
            <option key={option} value={option} {...{ defaultSelected: option === initial }}>
              {optionLabel}
            </option>
          ))}
        </select>
      )}
      {type === 'textarea' && <textarea {...shared} rows={4} defaultValue={initial} spellcheck={false} />}
      {!options && type !== 'textarea' && (
        <input
          {...shared}
          type={type as 'text'}
          step={type === 'number' ? 'any' : undefined}
          defaultValue={initial}
          autocomplete="off"
          spellcheck={false}
        />
      )}
      {notes}
    </div>
  );
}
