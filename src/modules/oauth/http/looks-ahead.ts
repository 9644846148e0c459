import type { Request, Response } from 'express';

/** `Sec-Purpose` is the standard; the other names are those of older browsers. */
const PURPOSES = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'];

/** Such a request spends nothing and gets an error status: a browser would show a prefetched 2xx instead of completing the login. */
export function looksAhead({ method, headers }: Request, response: Response): boolean {
  const isAhead =
    method === 'HEAD' || PURPOSES.some((name) => /\b(prefetch|preview)\b/i.test(String(headers[name] ?? '')));
  if (isAhead) response.status(503);
  return isAhead;
}

export const LOOKED_AHEAD =
  'Without a body for HEAD and for a prefetch (`Sec-Purpose`, `Purpose`): the login stays as it is.';
