import type { Request } from 'express';
import { BrowserCookie } from '../../../src/modules/oauth/http/browser-cookie.js';

const state = 'AbCdEfGhIjKlMnOpQrStUvWxYz';
const sent = (cookie?: string) => ({ headers: { cookie } }) as Request;

describe('the cookie that binds a login to its browser', () => {
  it('is out of reach for scripts, plain http and neighbouring hosts where the service is on https', () => {
    const { name, options } = new BrowserCookie('https://auth.example.com', state);
    expect(name).toBe('__Host-oauth_AbCdEfGhIjKlMnOp');
    expect(options).toEqual({ httpOnly: true, secure: true, sameSite: 'lax', path: '/', maxAge: 600_000 });
  });

  it('works without TLS in development', () => {
    const { name, options } = new BrowserCookie('http://localhost:3000', state);
    expect(name).toBe('oauth_AbCdEfGhIjKlMnOp');
    expect(options.secure).toBe(false);
  });

  it('comes along with the post of a provider that posts back', () => {
    expect(new BrowserCookie('https://auth.example.com', state, { postsBack: true }).options.sameSite).toBe('none');
  });

  it.each([
    [undefined, undefined],
    ['', undefined],
    ['oauth_AbCdEfGhIjKlMnOp', undefined],
    ['oauth_AbCdEfGhIjKlMnOpQ=long', undefined],
    ['xoauth_AbCdEfGhIjKlMnOp=x', undefined],
    ['a=1; oauth_AbCdEfGhIjKlMnOp=value; b=2', 'value'],
    ['a=1;oauth_AbCdEfGhIjKlMnOp=va=lue', 'va=lue'],
    ['oauth_AbCdEfGhIjKlMnOp=first; oauth_AbCdEfGhIjKlMnOp=second', 'first'],
  ])('is found in %j as %j', (header, value) => {
    expect(new BrowserCookie('http://localhost:3000', state).valueIn(sent(header))).toBe(value);
  });
});
