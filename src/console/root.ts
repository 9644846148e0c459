/** The path of `BASE_URL`, which the service writes into the page. */
export const root = document.documentElement.dataset['root'] ?? '';

export const home = `${root}/console`;
