import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { explain } from '../api.js';
import type { Loaded } from '../load.js';
import { fill, text, when } from '../text.js';

/** The heading of a view. It takes the focus, so that a screen reader reads where a link led. */
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
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return (
    <>
      <header class="page-head">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        <div class="actions">{actions}</div>
      </header>
      {intro && <p class="intro">{intro}</p>}
      {children}
    </>
  );
}

export function Problem({ error, retry }: { error: unknown; retry?: () => void }) {
  return (
    <div class="notice bad" role="alert">
      <p>{explain(error)}</p>
      {retry && (
        <button type="button" onClick={retry}>
          {text.retry}
        </button>
      )}
    </div>
  );
}

/** Shows data, or that it is loading, or why it is missing. Data that is on the screen stays there after a failed reload. */
export function Await<T>({ loaded, children }: { loaded: Loaded<T>; children: (data: T) => ComponentChildren }) {
  const { data, error, isLoading, reload } = loaded;
  return (
    <>
      {error !== undefined && <Problem error={error} retry={reload} />}
      {data === undefined && isLoading && (
        <p class="loading" role="status">
          {text.loading}
        </p>
      )}
      {data !== undefined && children(data)}
    </>
  );
}

export function Time({ at, otherwise = text.none }: { at: number; otherwise?: string }) {
  if (at === 0) return <span class="faint">{otherwise}</span>;
  const iso = new Date(at * 1_000).toISOString();
  return (
    <time dateTime={iso} title={iso}>
      {when(at)}
    </time>
  );
}

/** A short list of names and values. */
export function Facts({ items }: { items: readonly (readonly [string, ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {items.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value === '' ? <span class="faint">{text.none}</span> : value}</dd>
        </div>
      ))}
    </dl>
  );
}

export type Tone = 'good' | 'bad' | 'wait' | 'plain';

export function Badge({ tone = 'plain', children }: { tone?: Tone; children: ComponentChildren }) {
  return <span class={`badge ${tone}`}>{children}</span>;
}
