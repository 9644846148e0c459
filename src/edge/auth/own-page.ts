import type { Request } from 'express';

/** The host must be that of `origin`, the base URL: another name that resolves to this service would be an origin of its own. */
export function isFromOwnPage(request: Request, origin: URL): boolean {
  const { origin: stated, 'sec-fetch-site': site } = request.headers;
  if (stated === undefined && site === undefined) return false;
  return (
    (stated === undefined || stated === origin.origin) &&
    (site === undefined || site === 'same-origin') &&
    isHostOf(origin, request.host)
  );
}

function isHostOf(origin: URL, host: string | undefined): boolean {
  const url = `${origin.protocol}//${host}`;
  return host !== undefined && URL.canParse(url) && new URL(url).host === origin.host;
}
