import { signal } from '@preact/signals';
import { type ComponentChildren, isValidElement, type VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { approvalOf, explain } from '../api.js';
import { type Loaded, REFRESH_MS } from '../load.js';
import { session } from '../session.js';
import { Icon } from './icon.js';
import { exactly, fill, nameOf, relatively, text } from '../text.js';

/** The heading takes the focus, so that a screen reader reads where a link led. */
export function Page({
  title,
  intro,
  actions,
  children,
}: {
  title: string;
  intro?: string;
  actions?: ComponentChildren;
  children: ComponentChildren;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = fill(text.pageTitle, { title });
  }, [title]);
  useEffect(() => {
    // A visitor who already types, for instance into the search box, keeps the focus.
    if (!document.activeElement?.matches('input, select, textarea')) heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <>
      <header class="page-head">
        <h1 ref={heading} tabIndex={-1}>
          <bdi>{title}</bdi>
        </h1>
        <div class="actions">{actions}</div>
      </header>
      {intro && (
        <p class="intro">
          <bdi>{intro}</bdi>
        </p>
      )}
      {children}
    </>
  );
}

export function RoleNote() {
  const role = session.value?.role;
  return role && role !== 'owner' ? <p class="notice">{text.role.note[role]}</p> : null;
}

export function Loading() {
  return (
    <p class="faint" role="status">
      {text.loading}
    </p>
  );
}

export function Problem({ error, retry }: { error: unknown; retry?: () => void }) {
  const approval = approvalOf(error);
  return (
    <div class="notice bad" role="alert">
      <p>
        {explain(error)} {approval && <a href={approval}>{text.errors.approval}</a>}
      </p>
      {retry && (
        <button type="button" onClick={retry}>
          {text.retry}
        </button>
      )}
    </div>
  );
}

/** Data that is on the screen stays there after a failed reload. */
export function Await<T>({ loaded, children }: { loaded: Loaded<T>; children: (data: T) => ComponentChildren }) {
  const { data, error, isLoading, reload } = loaded;
  return (
    <>
      {error !== undefined && <Problem error={error} retry={reload} />}
      {data === undefined && isLoading && <Loading />}
      {data !== undefined && children(data)}
    </>
  );
}

/** The time of the browser, at most 5 s old. */
const now = signal(Date.now());
setInterval(() => (now.value = Date.now()), REFRESH_MS);

export function Time({ at, otherwise }: { at: number; otherwise?: string }) {
  if (at === 0) return otherwise === undefined ? null : <span class="faint">{otherwise}</span>;
  return (
    <time dateTime={new Date(at * 1_000).toISOString()} title={exactly(at)}>
      {relatively(at, now.value)}
    </time>
  );
}

/** The title has the text that does not fit. `bdi` isolates its direction from the words beside it. */
export function Line({ of, href }: { of: string; href?: string }) {
  const content = <bdi>{ID.test(of) ? <Shortened value={of} /> : of}</bdi>;
  return href === undefined ? (
    <span class="line" title={of}>
      {content}
    </span>
  ) : (
    <a class="line" title={of} href={href} aria-label={of}>
      {content}
    </a>
  );
}

const LAST = 6;
const ID = /^[a-z]+_[0-9a-z]{26}$/;

/**
 * The style leaves out the middle of a long value in a table. A reader compares its ends. A link needs `aria-label`,
 * because the two boxes would give its name a space.
 */
function Shortened({ value }: { value: string }) {
  if (value.length <= 4 * LAST) return value;
  return (
    <>
      <span class="start">{value.slice(0, -LAST)}</span>
      {value.slice(-LAST)}
    </>
  );
}

interface CopyableProps {
  readonly value: string;
  readonly href?: string;
  /** It is shown in place of the value. */
  readonly children?: ComponentChildren;
}

export function Copyable({ value, href, children }: CopyableProps) {
  const shown = useRef<HTMLElement>(null);
  const [said, setSaid] = useState('');
  const content = children ?? <Shortened value={value} />;
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(value);
      setSaid(text.secret.copied);
    } catch {
      getSelection()?.selectAllChildren(shown.current!);
      setSaid(text.secret.selected);
    }
  };
  return (
    <span class="copyable">
      <code ref={shown} class="line" title={value}>
        {href === undefined ? (
          content
        ) : (
          <a href={href} aria-label={children === undefined ? value : undefined}>
            {content}
          </a>
        )}
      </code>
      <button type="button" class="icon-button" title={said || text.secret.copy} onClick={() => void copy()}>
        <Icon of={said === '' ? 'copy' : 'check'} />
        <span class="unseen">
          {text.secret.copy} {value}
        </span>
      </button>
      <span class="unseen" role="status">
        {said}
      </span>
    </span>
  );
}

/** A fact without a value is left out: its text is empty, or its time is 0. */
export function Facts({ items }: { items: readonly (readonly [string, ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {items
        .filter(([, value]) => value !== '' && !isNoTime(value))
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

const isNoTime = (value: ComponentChildren): boolean =>
  isValidElement(value) && value.type === Time && (value as VNode<{ at: number }>).props.at === 0;

/** A part of a page that is read alone. */
export function Card({
  title,
  more,
  children,
}: {
  title: string;
  more?: ComponentChildren;
  children: ComponentChildren;
}) {
  return (
    <section class="card">
      <header>
        <h2>{title}</h2>
        {more && <div>{more}</div>}
      </header>
      {children}
    </section>
  );
}

const TONES: Readonly<Record<string, 'good' | 'bad' | 'wait'>> = {
  active: 'good',
  approved: 'good',
  awaiting_approval: 'wait',
  completed: 'good',
  dead: 'bad',
  delivered: 'good',
  executed: 'good',
  failed: 'bad',
  live: 'good',
  ok: 'good',
  pending: 'wait',
  refused: 'bad',
  rejected: 'bad',
  retrying: 'wait',
  running: 'good',
  sent: 'good',
  waiting: 'wait',
};

export function State({ of, tone = TONES[of] ?? 'plain', children = nameOf(of) }: StateProps) {
  return <span class={`badge ${tone}`}>{children}</span>;
}

interface StateProps {
  readonly of: string;
  readonly tone?: 'good' | 'bad' | 'wait' | 'plain';
  readonly children?: ComponentChildren;
}
