/** A proxy takes this path off before a request comes. */
export function basePathOf(baseUrl: string): string {
  return new URL(baseUrl).pathname.replace(/\/+$/, '');
}

export function htmlBelow(path: string, html: string): string {
  return path === '' ? html : html.replace(/\b(href|src|data-texts)="\/(?!\/)/g, (_, name) => `${name}="${path}/`);
}

/** Browsers take `__Host-` for the path `/` only. */
export const cookiePrefix = (path: string): string => (path === '' ? '__Host-' : '__Secure-');
