import type { Request } from 'express';
import { BrowserCookie } from '../../../src/modules/oauth/http/browser-cookie.js';

const state = 'AbCdEfGhIjKlMnOpQrStUvWxYz';
const sent = (cookie?: string) => ({ headers: { cookie } }) as Request;

describe('the cookie that binds a login to its browser', () => {
  it('the login cookie is closed to scripts, plain http and other hosts where the service uses https', () => {
    const { name, options } = new BrowserCookie('https://auth.example.com', state);
    expect(name).toBe('__Host-oauth_AbCdEfGhIjKlMnOp');
    expect(options).toEqual({ httpOnly: true, secure: true, sameSite: 'lax', path: '/', maxAge: 600_000 });
  });

  it('the login cookie is sent to no other service of the host where the service is below a path', () => {
    const { name, options } = new BrowserCookie('https://example.com/identity', state);
    expect([name, options.path]).toEqual(['__Secure-oauth_AbCdEfGhIjKlMnOp', '/identity']);
  });

  it('the login cookie works without TLS in development', () => {
    const { name, options } = new BrowserCookie('http://localhost:3000', state);
    expect(name).toBe('oauth_AbCdEfGhIjKlMnOp');
    expect(options.secure).toBe(false);
  });

  it('the login cookie is sent with the form post of a provider', () => {
    expect(new BrowserCookie('https://auth.example.com', state, { postsBack: true }).options.sameSite).toBe('none');
  });

  it.each(['', 'a b', 'a%20b', 'a;b', 'a=b', 'a\r\nb', 'é'.repeat(16), 'AbCdEfGhIjKlMnO;'])(
    'a state that the service did not make (%j) is no part of the name',
    (odd) => {
      expect(new BrowserCookie('http://localhost:3000', odd).name).toBe('oauth_');
    },
  );

  it.each([
    [undefined, undefined],
    ['', undefined],
    ['oauth_AbCdEfGhIjKlMnOp', undefined],
    ['oauth_AbCdEfGhIjKlMnOpQ=long', undefined],
    ['xoauth_AbCdEfGhIjKlMnOp=x', undefined],
    ['a=1; oauth_AbCdEfGhIjKlMnOp=value; b=2', 'value'],
    ['a=1;oauth_AbCdEfGhIjKlMnOp=va=lue', 'va=lue'],
    ['oauth_AbCdEfGhIjKlMnOp=first; oauth_AbCdEfGhIjKlMnOp=second', 'first'],
  ])('the login cookie in the header %j has the value %j', (header, value) => {
    expect(new BrowserCookie('http://localhost:3000', state).valueIn(sent(header))).toBe(value);
  });
});
