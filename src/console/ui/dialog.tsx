import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { ComponentChildren, RefObject } from 'preact';
import { refusalFor, type Role } from '../session.js';
import { text } from '../text.js';
import { type Entries, type Field, Form } from './form.js';

/** A native modal dialog: the browser keeps the focus inside and gives it back. */
function Dialog({
  title,
  dialog,
  closed,
  children,
}: {
  title: string;
  dialog: RefObject<HTMLDialogElement | null>;
  closed: () => void;
  children: ComponentChildren;
}) {
  const id = useId();
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={closed}>
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}

/** A value that the service shows only once. */
export interface Secret {
  readonly label: string;
  readonly value: string;
}

interface ActionProps {
  readonly label: string;
  readonly title: string;
  /** What happens, by name. */
  readonly body: string;
  readonly confirm?: string;
  readonly need: Role;
  readonly fields?: readonly Field[];
  /** The secrets that it returns are shown once. */
  readonly run: (entries: Entries, initial: Entries) => Promise<readonly Secret[] | void>;
  readonly isDangerous?: boolean;
  /** The main action of a view. */
  readonly isPrimary?: boolean;
}

/** A button that asks first: in a dialog, which says what happens, takes what is needed and shows what came of it. */
export function Action(props: ActionProps) {
  const { label, need, isDangerous, isPrimary } = props;
  // An open dialog keeps what it was opened with: the page behind it may load another state, in which the button does something else.
  const [opened, setOpened] = useState<ActionProps | null>(null);
  const [secrets, setSecrets] = useState<readonly Secret[] | null>(null);
  const refusal = refusalFor(need);
  const dialog = useRef<HTMLDialogElement>(null);
  // Only the dialog's own close gives the focus back to the button.
  const close = (): void => dialog.current?.close();
  const closed = (): void => {
    setOpened(null);
    setSecrets(null);
  };
  return (
    <>
      <button
        type="button"
        class={isDangerous ? 'danger-outline' : isPrimary ? 'primary' : ''}
        aria-disabled={refusal !== null}
        title={refusal ?? undefined}
        onClick={() => refusal === null && setOpened(props)}
      >
        {label}
      </button>
      {opened && (
        <Dialog title={secrets ? text.secret.title : opened.title} dialog={dialog} closed={closed}>
          {secrets ? (
            <Once secrets={secrets} close={close} />
          ) : (
            <>
              <p>{opened.body}</p>
              <Form
                fields={opened.fields ?? []}
                submitLabel={opened.confirm ?? opened.label}
                isDangerous={opened.isDangerous}
                submit={async (entries, initial) => {
                  const made = await opened.run(entries, initial);
                  if (made) setSecrets(made);
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

function Once({ secrets, close }: { secrets: readonly Secret[]; close: () => void }) {
  return (
    <>
      <p class="notice wait">{text.secret.warning}</p>
      {secrets.map(({ label, value }) => (
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

/** A value to take elsewhere. Without the right to write the clipboard, it is selected for the keyboard. */
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
