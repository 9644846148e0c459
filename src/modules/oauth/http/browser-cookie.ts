import type { CookieOptions, Request } from 'express';
import { basePathOf, cookiePrefix } from '../../../edge/http/base-path.js';

const LIVES_MS = 600_000;

/** The state of a callback may be any text, which would be no name of a cookie. */
const STATE = /^[0-9A-Za-z]{16}/;

/** Each login has its own cookie, so that tabs can log in at once. The prefix prevents plain http and other subdomains from setting it. */
export class BrowserCookie {
  readonly name: string;
  readonly options: CookieOptions;

  /** Browsers attach only `SameSite=None` cookies to a POST from another site. */
  constructor(baseUrl: string, state: string, { postsBack = false } = {}) {
    const secure = baseUrl.startsWith('https:');
    const path = basePathOf(baseUrl);
    this.name = `${secure ? cookiePrefix(path) : ''}oauth_${STATE.exec(state)?.[0] ?? ''}`;
    const sameSite = postsBack ? 'none' : 'lax';
    this.options = { httpOnly: true, secure, sameSite, path: path || '/', maxAge: LIVES_MS };
  }

  valueIn({ headers }: Request): string | undefined {
    for (const pair of headers.cookie?.split(';') ?? []) {
      const equals = pair.indexOf('=');
      if (pair.slice(0, equals).trim() === this.name) return pair.slice(equals + 1).trim();
    }
    return undefined;
  }
}
