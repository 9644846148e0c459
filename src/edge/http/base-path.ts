/** The path of `BASE_URL`, which a proxy takes off before a request comes; empty if it has none. */
export function basePathOf(baseUrl: string): string {
  return new URL(baseUrl).pathname.replace(/\/+$/, '');
}

/** The HTML of a page whose links to this service are below the path. */
export function htmlBelow(path: string, html: string): string {
  return path === '' ? html : html.replace(/\b(href|src|data-texts)="\/(?!\/)/g, (_, name) => `${name}="${path}/`);
}

/** The prefix of secure cookies. Browsers take `__Host-` for the path `/` only. */
export const cookiePrefix = (path: string): string => (path === '' ? '__Host-' : '__Secure-');
