import { generateKeyPairSync } from 'node:crypto';
import { newId } from '../../../src/kernel/ids.js';
import { SessionSecrets } from '../../../src/modules/session/application/session-secrets.js';
import { type KeySet, SigningKeys } from '../../../src/modules/session/application/signing-keys.js';
import type { LiveSession } from '../../../src/modules/session/domain/session.js';
import { RandomSecretTokens } from '../../../src/platform/crypto/random-secret-tokens.js';

const noon = new Date('2026-11-20T12:00:00Z');
const after = (seconds: number): Date => new Date(noon.getTime() + seconds * 1_000);
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const keys: KeySet = {
  appId: newId('app'),
  current: { kid: newId('signingKey'), privateKey },
  publicKeys: new Map(),
  jwks: [],
  etag: '""',
};

function session(changes: Partial<LiveSession> = {}): LiveSession {
  return {
    id: newId('session'),
    userId: newId('user'),
    startedAt: noon,
    expiresAt: after(86_400),
    lastActiveAt: noon,
    factors: {},
    userAgent: '',
    ip: '',
    version: 1,
    updatedAt: noon,
    createdAt: noon,
    asOf: noon,
    ...changes,
  };
}

describe('the JWT handed out with a session', () => {
  // Issuing asks neither for stored keys nor for tokens: what it needs is passed in.
  const secrets = new SessionSecrets(new SigningKeys(undefined!, undefined!), new RandomSecretTokens(), {
    baseUrl: 'https://id.example.com',
    sessionClaim: 'session',
  });
  const jwtOf = (of: LiveSession): Promise<string> => secrets.issue(keys, of, '').jwt();

  it('is the last one while that has half of its life left', async () => {
    const ann = session();
    expect(await jwtOf({ ...ann, asOf: after(150) })).toBe(await jwtOf(ann));
  });

  it('is a new one from then on', async () => {
    const ann = session();
    const first = await jwtOf(ann);
    expect(await jwtOf({ ...ann, asOf: after(151) })).not.toBe(first);
  });

  it('is a new one as soon as the session has changed', async () => {
    const ann = session();
    const first = await jwtOf(ann);
    expect(await jwtOf({ ...ann, version: 2, expiresAt: after(90_000) })).not.toBe(first);
  });

  it('counts half a life from what a session near its end had left', async () => {
    const ending = session({ expiresAt: after(60) });
    const first = await jwtOf(ending);
    expect(await jwtOf({ ...ending, asOf: after(30) })).toBe(first);
    expect(await jwtOf({ ...ending, asOf: after(31) })).not.toBe(first);
  });

  it('is signed once for however many ask at once', async () => {
    const ann = session();
    const jwts = await Promise.all(Array.from({ length: 20 }, () => jwtOf(ann)));
    expect(new Set(jwts).size).toBe(1);
  });
});
