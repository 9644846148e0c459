import { useLocation } from 'preact-iso';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { ComponentChildren, RefObject } from 'preact';
import { withProof } from '../proof.js';
import { refusalFor, type Role } from '../session.js';
import { fill, text } from '../text.js';
import { type Entries, type Field, Form } from './form.js';

const DONE = 'done';

/** While the native dialog is held, no key closes it, and it opens again when the browser closes it. */
export function Dialog({
  title,
  dialog,
  closed,
  isHeld = false,
  children,
}: {
  title: string;
  dialog: RefObject<HTMLDialogElement | null>;
  closed?: () => void;
  isHeld?: boolean;
  children: ComponentChildren;
}) {
  const id = useId();
  useEffect(() => {
    const { current: shown } = dialog;
    shown?.showModal();
    return () => shown?.close(DONE);
  }, []);
  useEffect(() => {
    if (!isHeld) return;
    // The cancel event cannot be refused twice in a row; the key can.
    const refuse = (event: KeyboardEvent): void => {
      if (event.key === 'Escape') event.preventDefault();
    };
    window.addEventListener('keydown', refuse, true);
    return () => window.removeEventListener('keydown', refuse, true);
  }, [isHeld]);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onCancel={(event) => isHeld && event.preventDefault()}
      onClose={() => (isHeld && dialog.current?.returnValue !== DONE ? dialog.current?.showModal() : closed?.())}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}

type ActionIn<Texts> = { [Key in keyof Texts]: Key extends `${infer Name}Body` ? Name : never }[keyof Texts];

interface ActionProps<Texts, Made> {
  /** The label is at `name`; the dialog's texts are at `nameTitle`, `nameBody` and `nameConfirm`. */
  readonly text: Texts;
  readonly name: ActionIn<Texts>;
  readonly values?: Readonly<Record<string, string | number>>;
  readonly need: Role;
  readonly fields?: readonly Field[];
  readonly run: (entries: Entries, initial: Entries) => Promise<Made> | null;
  /** The secrets by their labels. They are shown only once. */
  readonly secrets?: (made: Made) => Readonly<Record<string, string>>;
  readonly isDangerous?: boolean;
  /** A name that the operator must enter first, where a mistake would be grave. */
  readonly confirmedBy?: string;
  readonly isPrimary?: boolean;
  /** The dialog shows it before the inputs. */
  readonly extra?: ComponentChildren;
}

/** The button is absent for a role that may not act. */
export function Action<Texts extends object, Made>(props: ActionProps<Texts, Made>) {
  const { need, isDangerous, isPrimary } = props;
  // An open dialog keeps its first properties: the page behind it may load another state, in which the button does something else.
  const [opened, setOpened] = useState<ActionProps<Texts, Made> | null>(null);
  const [secrets, setSecrets] = useState<Readonly<Record<string, string>> | null>(null);
  const dialog = useRef<HTMLDialogElement>(null);
  // Only the dialog's own close gives the focus back to the button.
  const close = (): void => dialog.current?.close(DONE);
  const closed = (): void => {
    setOpened(null);
    setSecrets(null);
  };
  // A link in the dialog, such as the one to an approval, may leave an action in the frame of all pages on the screen.
  const { path } = useLocation();
  useEffect(close, [path]);
  if (refusalFor(need) !== null && !opened) return null;
  return (
    <>
      <button
        type="button"
        class={isDangerous ? 'danger-outline' : isPrimary ? 'primary' : ''}
        onClick={() => setOpened(props)}
      >
        {textOf(props)}
      </button>
      {opened && (
        <Dialog
          title={secrets ? text.secret.title : textOf(opened, 'Title')}
          dialog={dialog}
          closed={closed}
          isHeld={secrets !== null}
        >
          {secrets ? (
            <Once secrets={secrets} close={close} />
          ) : (
            <>
              <p>{textOf(opened, 'Body')}</p>
              {opened.extra}
              <Form
                fields={[...(opened.fields ?? []), ...confirmationOf(opened.confirmedBy)]}
                submitLabel={textOf(opened, 'Confirm')}
                isDangerous={opened.isDangerous}
                submit={async (entries, initial) => {
                  if (opened.confirmedBy !== undefined && entries.text('confirmation') !== opened.confirmedBy)
                    throw new Error(text.confirmation.mistyped);
                  const made = await withProof(async () => opened.run(entries, initial));
                  if (opened.secrets) setSecrets(opened.secrets(made!));
                  else close();
                }}
                extra={
                  <button type="button" onClick={close}>
                    {text.cancel}
                  </button>
                }
              />
            </>
          )}
        </Dialog>
      )}
    </>
  );
}

const confirmationOf = (name: string | undefined): Field[] =>
  name === undefined
    ? []
    : [{ name: 'confirmation', label: fill(text.confirmation.label, { name }), isRequired: true }];

function textOf<Texts, Made>({ text: texts, name, values = {} }: ActionProps<Texts, Made>, part = ''): string {
  const found = texts as Readonly<Record<string, string>>;
  return fill(found[`${name}${part}`] ?? found[name]!, values);
}

function Once({ secrets, close }: { secrets: Readonly<Record<string, string>>; close: () => void }) {
  return (
    <>
      <p class="notice wait">{text.secret.warning}</p>
      {Object.entries(secrets).map(([label, value]) => (
        <CopyField key={label} label={label} value={value} />
      ))}
      <div class="actions">
        <button type="button" class="primary" onClick={close}>
          {text.secret.close}
        </button>
      </div>
    </>
  );
}

/** The value is selected for the keyboard where the page may not write the clipboard. */
export function CopyField({ label, value, isBare = false }: { label: string; value: string; isBare?: boolean }) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [said, setSaid] = useState('');
  const copy = async (): Promise<void> => {
    input.current?.select();
    try {
      await navigator.clipboard.writeText(value);
      setSaid(text.secret.copied);
    } catch {
      setSaid(text.secret.selected);
    }
  };
  return (
    <div class={isBare ? 'bare' : 'field'}>
      <label for={id} class={isBare ? 'unseen' : undefined}>
        {label}
      </label>
      <div class="copy">
        <input ref={input} id={id} readOnly value={value} onFocus={() => input.current?.select()} />
        <button type="button" onClick={() => void copy()}>
          {text.secret.copy}
          <span class="unseen"> {label}</span>
        </button>
      </div>
      <span class={isBare ? 'unseen' : 'hint'} role="status">
        {said}
      </span>
    </div>
  );
}
