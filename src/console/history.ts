import { useEffect, useLayoutEffect, useState } from 'preact/hooks';

/** Unlike a URL, an entry of the browser's history may hold addresses of people. */
interface Kept {
  /** The last ids of the earlier pages of the list. */
  readonly cursors?: readonly string[];
  readonly search?: { readonly field: string; readonly value: string };
  /** The left and top offsets of the page, then of each table on it. */
  readonly scrolled?: readonly (readonly [number, number])[];
}

const current = (): Kept => (history.state as Kept | null) ?? {};
const keep = (changes: Kept): void => history.replaceState({ ...current(), ...changes }, '');

/** `keep` changes the current entry; `visit` begins a new one at the same URL. */
export function useKept() {
  const [, show] = useState<unknown>();
  useEffect(() => {
    // The router does not render again when only the entry changes: going back, and links to the address of the page.
    const showCurrent = (): void => show(history.state);
    for (const type of ['popstate', 'click']) addEventListener(type, showCurrent);
    return () => {
      for (const type of ['popstate', 'click']) removeEventListener(type, showCurrent);
    };
  }, []);
  return {
    kept: current(),
    keep: (changes: Kept): void => {
      keep(changes);
      show(history.state);
    },
    visit: (state: Kept): void => {
      history.pushState(state, '');
      show(history.state);
    },
  };
}

/** The position is restored once the rows of `shown` are on the page. */
export function useKeptScroll(shown: string | undefined): void {
  useLayoutEffect(() => {
    if (shown === undefined) return;
    const boxes = (): Element[] => [document.documentElement, ...document.querySelectorAll('.scroll')];
    const { scrolled } = current();
    const [page, ...tables] = boxes();
    if (scrolled?.[0]) page!.scrollTo(...scrolled[0]);
    tables.forEach((table, index) => table.scrollTo(...(scrolled?.[index + 1] ?? ([0, 0] as const))));
    // Browsers refuse an entry that changes more often than about 3 times a second.
    let timer: ReturnType<typeof setTimeout>;
    const keepLater = (): void => {
      clearTimeout(timer);
      timer = setTimeout(() => keep({ scrolled: boxes().map((box) => [box.scrollLeft, box.scrollTop]) }), 350);
    };
    // The scroll events of a table do not bubble.
    addEventListener('scroll', keepLater, true);
    return () => {
      clearTimeout(timer);
      removeEventListener('scroll', keepLater, true);
    };
  }, [shown]);
}
