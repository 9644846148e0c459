/** The path of `BASE_URL`, which the service writes into the page; empty if it has none. */
export const root = document.documentElement.dataset['root'] ?? '';

/** The address of the console. All its pages are below it. */
export const home = `${root}/console`;
