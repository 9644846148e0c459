import { withParameters } from '../../../src/kernel/query-parameters.js';
import { refusalAt } from '../../../src/modules/oauth/application/complete-oauth-login.js';
import { AccessDenied } from '../../../src/modules/oauth/domain/oauth.errors.js';

describe('sending a browser to an app', () => {
  it.each([
    ['https://shop.example/', 'https://shop.example/?token=t'],
    ['https://shop.example/login?', 'https://shop.example/login?token=t'],
    ['https://shop.example/login?a=b%20c&d=e+f&g', 'https://shop.example/login?a=b%20c&d=e+f&g&token=t'],
  ])('keeps the redirect URL %s as it was registered', (url, expected) => {
    expect(withParameters(url, { token: 't' })).toBe(expected);
  });

  it('encodes the parameters that are added to a redirect URL', () => {
    expect(withParameters('https://shop.example/', { token: 'a&b=c#d' })).toBe(
      'https://shop.example/?token=a%26b%3Dc%23d',
    );
  });

  it('reports a refusal by the parameters of OAuth 2.0', () => {
    const { searchParams } = new URL(refusalAt('https://shop.example/login', new AccessDenied()));
    expect(Object.fromEntries(searchParams)).toEqual({
      error: 'access_denied',
      error_description: 'The login was declined at the identity provider.',
    });
  });
});
