import * as openid from 'openid-client';
import { Browser } from '../support/cookie-browser.js';

export const CALLBACK = 'https://shop.example.com/callback';

export interface RelyingParty {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/**
 * The program of another party signs a user in with a library for OpenID clients. `consent` is the login page: it answers the interaction
 * and returns the URL to which it sends the browser.
 */
export async function signIn(
  { issuer, clientId, clientSecret }: RelyingParty,
  parameters: Readonly<Record<string, string>>,
  consent: (interaction: string, loginPage: URL) => Promise<string>,
) {
  const config = await openid.discovery(new URL(issuer), clientId, clientSecret, undefined, {
    execute: [openid.allowInsecureRequests],
  });
  const pkceCodeVerifier = openid.randomPKCECodeVerifier();
  const expectedState = openid.randomState();
  const url = openid.buildAuthorizationUrl(config, {
    redirect_uri: CALLBACK,
    code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    state: expectedState,
    ...parameters,
  });
  const browser = new Browser({ issuer });
  const { url: loginPage } = await browser.visit(url.href);
  const { url: back } = await browser.visit(await consent(loginPage.searchParams.get('interaction')!, loginPage));
  const tokens = await openid.authorizationCodeGrant(config, back, { pkceCodeVerifier, expectedState });
  return { config, tokens };
}
