import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The test of each attack of src/modules/authorization/threats.md: the name of a file here, and of a test in it. */
const TESTS: readonly (readonly [attack: string, file: string, test: string])[] = [
  [
    'A redirect URL that is not registered',
    'code-flow',
    'has no row before the client and its redirect URL are known, nor by a sign-out without a login',
  ],
  [
    'A redirect URL that was registered when it was asked for',
    'code-flow',
    'is not sent to an address that was removed before the page could %s',
  ],
  [
    'A code or token in the referrer or history',
    'code-flow',
    'moves the browser by 303 alone, shows pages in no frame, and sends no referrer',
  ],
  ['Mix-up of servers', 'programs', 'compares the issuer as text, and reads no member that is null'],
  ['An injected code', 'code-flow', 'needs its client, its redirect URL and its verifier'],
  ['A code that is redeemed twice', 'code-flow', 'is redeemed once, by 1,000 redemptions at a time on two replicas'],
  ['An injected access token', 'code-flow', 'is refused without the right %s'],
  [
    'Login CSRF: a victim finishes the login of a thief',
    'code-flow',
    'is not completed by a victim who was lured to the login page',
  ],
  ['PKCE downgrade', 'code-flow', 'of a program that sends no challenge is redeemed without a verifier'],
  ['A token is used elsewhere by a resource server', 'api-tokens', 'is refused, whatever it is'],
  [
    'A stolen access token',
    'client-keys',
    'binds the token to the key, and the API takes it with a proof of this call alone',
  ],
  [
    'An open redirector after a sign-out',
    'code-flow',
    'without it asks in the browser, and is refused with a forged one or for an address that is not registered',
  ],
  [
    'A redirect that sends a form on',
    'code-flow',
    'moves the browser by 303 alone, shows pages in no frame, and sends no referrer',
  ],
  [
    'Forged headers of a proxy',
    'client-credentials',
    'has the configured address at both paths, no member that is null, and the scopes of the resources',
  ],
  [
    'A stolen refresh token',
    'code-flow',
    'rotates, gives new tokens for 30 seconds more, and ends its grant after that',
  ],
  [
    'A client whose id is that of a user',
    'client-credentials',
    'give a JWT of RFC 9068, as two clients that are not ours read it',
  ],
  ['A page in a frame', 'code-flow', 'moves the browser by 303 alone, shows pages in no frame, and sends no referrer'],
  ['A code that is sent to a page that listens', 'code-flow', 'is refused without the right %s'],
  [
    'A guessed secret of a client',
    'client-credentials',
    'count for the network until the client has authenticated, and for the client then',
  ],
  [
    'A program on the device with the redirect URL of another',
    'code-flow',
    'takes a JWT of the session, whose user a program on the device asks each time',
  ],
  ['A replayed assertion', 'client-keys', 'takes an assertion once, of 40 at a time on two replicas'],
  [
    'An assertion with another key or algorithm',
    'client-keys',
    'refuses every assertion that is not for this server, by this client, for now',
  ],
  [
    'A key that can be factored, or is for another use',
    'client-keys',
    'is registered with public keys alone, or with their address',
  ],
  ['A token of another kind', 'client-credentials', 'is not a JWT of another kind or app, or with another signature'],
  ['A replayed proof', 'client-keys', 'counts once, of 40 at a time on two replicas'],
  ['Copies of a proof that use up the rate of its key', 'client-keys', 'does not use up the rate of its key by copies'],
  [
    'A proof that is made ahead',
    'client-keys',
    'counts once at the token endpoint, and is remembered as long as it is valid',
  ],
  ['A pushed request of another client, or used twice', 'code-flow', 'gives one code, and only to its client'],
  [
    'An exchange of a foreign token, or for more scopes',
    'token-exchange',
    'is refused for everything that is no token of a user which the client received',
  ],
  [
    'A document of another client, or with internal addresses',
    'metadata-documents',
    'is refused for every document that is not about it, or not under the rules of clients',
  ],
  ['A row that was written by SQL', 'token-exchange', 'takes no consent that was written by SQL'],
  [
    'Requests that fill the tables',
    'code-flow',
    'are bounded in number: the oldest one makes room, so that a stranger cannot end the sign-in of all',
  ],
  [
    'A grant that ends while a call runs',
    'api-tokens',
    'changes nothing any more when its grant ends while the call runs',
  ],
  [
    'A payment within a budget whose grant has ended',
    'budgets',
    'pays nothing once its grant has ended, though it was judged before',
  ],
];

describe('each attack on the authorization server', () => {
  it('has a test', () => {
    const page = readFileSync('src/modules/authorization/threats.md', 'utf8');
    const attacks = [...page.matchAll(/^- (?:[^:]*\d: )?(.+)$/gm)].map(([, attack]) => attack);
    expect(TESTS.map(([attack]) => attack)).toEqual(attacks);
  });

  it.each(TESTS)('%s: has the test in %s', (_, file, test) => {
    const source = readFileSync(join(__dirname, `${file}.e2e-spec.ts`), 'utf8');
    expect(source.replaceAll("\\'", "'").includes(test)).toBe(true);
  });
});
