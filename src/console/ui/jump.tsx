import { useLocation } from 'preact-iso';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { api, call } from '../api.js';
import { text } from '../text.js';
import { labelOf, usersLike } from './people.js';
import { Line, Problem } from './states.js';
import { home, root } from '../root.js';

const t = text.jump;
const MOST = 10;

interface Found {
  readonly href: string;
  readonly label: string;
}

const PAGES: Readonly<Record<string, string>> = {
  user: 'users',
  transfer: 'transfers',
  whk: 'webhooks',
  pol: 'policies',
  appr: 'approvals',
  agrp: 'approver-groups',
};

const HASH = /^(0x[\da-f]{64}|[1-9A-HJ-NP-Za-km-z]{87,88})$/i;

async function find(appId: string, entry: string): Promise<readonly Found[]> {
  const base = `${home}/apps/${appId}`;
  const path = { app_id: appId };
  const [, prefix = ''] = /^([a-z]+)_\w+$/.exec(entry) ?? [];
  if (prefix === 'app') return [{ href: `${home}/apps/${entry}`, label: entry }];
  if (PAGES[prefix]) return [{ href: `${base}/${PAGES[prefix]}/${entry}`, label: entry }];
  if (HASH.test(entry)) {
    const hash = entry.startsWith('0x') ? entry.toLowerCase() : entry;
    const query = { limit: MOST, blockchain_tx_hash: hash };
    const { transfers } = await call(api.GET('/management/v1/apps/{app_id}/transfers', { params: { path, query } }));
    return transfers.map(({ id }) => ({ href: `${base}/transfers/${id}`, label: id }));
  }
  const users = await usersLike(appId, entry);
  if (users.length === 0) return pagesLike(entry);
  return users.map((user) => ({ href: `${base}/users/${user.user_id}`, label: labelOf(user) }));
}

/** Finds the pages of the guide, calls and errors that have all words; those with the words in their title come first. */
async function pagesLike(entry: string): Promise<readonly Found[]> {
  const response = await fetch(`${root}/guide/search.json`);
  if (!response.ok) return [];
  const texts = (await response.json()) as { id: string; page: string; heading: string; text: string }[];
  const words = entry.toLowerCase().split(/\s+/);
  const has = (text: string): boolean => words.every((word) => text.toLowerCase().includes(word));
  const titled = texts.filter(({ page, heading }) => has(`${page} ${heading}`));
  const others = texts.filter((each) => !titled.includes(each) && has(`${each.page} ${each.heading} ${each.text}`));
  return [...titled, ...others].slice(0, MOST).map(({ id, page, heading }) => {
    const label = page === heading ? page : `${page}: ${heading}`;
    return { href: id, label };
  });
}

export function Jump({ appId }: { appId: string }) {
  const { path, route } = useLocation();
  const input = useRef<HTMLInputElement>(null);
  const [found, setFound] = useState<readonly Found[] | null>(null);
  const [error, setError] = useState<unknown>();
  const clear = (): void => {
    setFound(null);
    setError(undefined);
  };
  // A layout effect, so that the keys work as soon as the input is visible.
  useLayoutEffect(() => {
    const focus = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      input.current?.focus();
      input.current?.select();
    };
    window.addEventListener('keydown', focus);
    return () => window.removeEventListener('keydown', focus);
  }, []);
  useEffect(clear, [path]);
  const submit = async (): Promise<void> => {
    clear();
    const entry = input.current!.value.trim();
    if (entry === '') return;
    try {
      const [first, ...more] = await find(appId, entry);
      if (first?.href.startsWith(home) && more.length === 0) {
        input.current?.blur();
        route(first.href);
      } else setFound(first ? [first, ...more] : []);
    } catch (thrown) {
      setError(thrown);
    }
  };
  return (
    <form
      class="jump"
      role="search"
      aria-label={t.label}
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <input
        ref={input}
        type="search"
        aria-label={t.label}
        aria-keyshortcuts="Control+K Meta+K"
        placeholder={t.placeholder}
        maxLength={256}
        onInput={clear}
      />
      {found && (
        <div class="found notice" role="status">
          {found.length === 0 ? (
            <p>{t.none}</p>
          ) : (
            <ul class="plain">
              {found.map(({ href, label }) => (
                <li key={href}>
                  <Line of={label} href={href} />
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
      {error !== undefined && (
        <div class="found">
          <Problem error={error} />
        </div>
      )}
    </form>
  );
}
