import type { CookieOptions, Request } from 'express';

const LIVES_MS = 600_000;

/**
 * The cookie that binds a login to the browser that began it. Each login has its own, so that several tabs can log in
 * at once. On https the prefix `__Host-` prevents other subdomains and plain http from setting it.
 */
export class BrowserCookie {
  readonly name: string;
  readonly options: CookieOptions;

  /** `postsBack` is true if the provider posts: browsers attach only `SameSite=None` cookies to a POST from another site. */
  constructor(baseUrl: string, state: string, { postsBack = false } = {}) {
    const secure = baseUrl.startsWith('https:');
    this.name = `${secure ? '__Host-' : ''}oauth_${state.slice(0, 16)}`;
    this.options = { httpOnly: true, secure, sameSite: postsBack ? 'none' : 'lax', path: '/', maxAge: LIVES_MS };
  }

  valueIn({ headers }: Request): string | undefined {
    for (const pair of headers.cookie?.split(';') ?? []) {
      const equals = pair.indexOf('=');
      if (pair.slice(0, equals).trim() === this.name) return pair.slice(equals + 1).trim();
    }
    return undefined;
  }
}
