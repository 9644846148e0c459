import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { type AppId, newId } from '../../../src/kernel/ids.js';
import { SessionSecrets } from '../../../src/modules/session/application/session-secrets.js';
import { type KeySet, SigningKeys } from '../../../src/modules/session/application/signing-keys.js';
import { InvalidSession } from '../../../src/kernel/errors.js';
import { UserClaims } from '../../../src/modules/session/application/user-claims.js';
import type { LiveSession } from '../../../src/modules/session/domain/session.js';
import { testTokens } from '../../support/secret-tokens.js';

const noon = new Date('2026-11-20T12:00:00Z');
const after = (seconds: number): Date => new Date(noon.getTime() + seconds * 1_000);
const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
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
    idleSeconds: null,
    ...changes,
  };
}

const SETTINGS = { baseUrl: 'https://id.example.com', sessionClaim: 'session' };

class NoClaims extends UserClaims {
  override of = () => Promise.resolve({});
}
const noClaims = new NoClaims(undefined!, undefined!, undefined!);

describe('the JWT handed out with a session', () => {
  // Issuing asks neither for stored keys nor for tokens: what it needs is passed in.
  const secrets = new SessionSecrets(
    new SigningKeys(undefined!, undefined!, undefined!, undefined!),
    testTokens(),
    SETTINGS,
    noClaims,
  );
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

  it('is a new one when the change that the last one shows was rolled back and another one made', async () => {
    const ann = session({ version: 2, updatedAt: after(1), expiresAt: after(90_000) });
    const rolledBack = await jwtOf(ann);
    expect(await jwtOf({ ...ann, updatedAt: after(2), expiresAt: after(86_400) })).not.toBe(rolledBack);
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

describe('a JWT shown again', () => {
  let known: Map<AppId, KeyObject>;
  let asked: number;
  class KnownKeys extends SigningKeys {
    override publicKey(appId: AppId): Promise<KeyObject | null> {
      asked++;
      return Promise.resolve(known.get(appId) ?? null);
    }
  }
  const secrets = new SessionSecrets(
    new KnownKeys(undefined!, undefined!, undefined!, undefined!),
    testTokens(),
    SETTINGS,
    noClaims,
  );

  beforeEach(() => {
    known = new Map([[keys.appId, publicKey]]);
    asked = 0;
  });

  it('proves what it proved before', async () => {
    const ann = session();
    const jwt = await secrets.issue(keys, ann, '').jwt();
    const first = await secrets.read(keys.appId, { jwt });
    expect(first).toMatchObject({ by: 'jwt', sessionId: ann.id, userId: ann.userId });
    expect(await secrets.read(keys.appId, { jwt })).toBe(first);
    expect(asked).toBe(2);
  });

  it('is refused once its key is gone', async () => {
    const jwt = await secrets.issue(keys, session(), '').jwt();
    await secrets.read(keys.appId, { jwt });
    known.clear();
    await expect(secrets.read(keys.appId, { jwt })).rejects.toThrow(InvalidSession);
  });

  it('is refused for another app, even one that had the same key', async () => {
    const other = newId('app');
    known.set(other, publicKey);
    const jwt = await secrets.issue(keys, session(), '').jwt();
    await secrets.read(keys.appId, { jwt });
    await expect(secrets.read(other, { jwt })).rejects.toThrow(InvalidSession);
    expect(await secrets.read(keys.appId, { jwt })).toMatchObject({ by: 'jwt' });
  });

  it('is refused with one character changed', async () => {
    const jwt = await secrets.issue(keys, session(), '').jwt();
    await secrets.read(keys.appId, { jwt });
    const at = jwt.indexOf('.') + 20;
    const forged = jwt.slice(0, at) + (jwt[at] === 'A' ? 'B' : 'A') + jwt.slice(at + 1);
    await expect(secrets.read(keys.appId, { jwt: forged })).rejects.toThrow(InvalidSession);
  });
});
