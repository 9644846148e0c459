import { useEffect, useLayoutEffect, useState } from 'preact/hooks';

/** The part of a page that an entry of the browser's history keeps. Unlike a URL, it may hold addresses of people. */
interface Kept {
  /** The ids that end the earlier pages of the list. */
  readonly cursors?: readonly string[];
  readonly search?: { readonly field: string; readonly value: string };
  /** How far the page and each table on it are scrolled: from the left and from the top. */
  readonly scrolled?: readonly (readonly [number, number])[];
}

const current = (): Kept => (history.state as Kept | null) ?? {};
const keep = (changes: Kept): void => history.replaceState({ ...current(), ...changes }, '');

/** Returns the state of the current entry, `keep`, which changes it, and `visit`, which begins a new entry at the same URL. */
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

/** Scrolls to where the entry was left once the rows of `shown` are on the page, and keeps how far it is scrolled then. */
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
