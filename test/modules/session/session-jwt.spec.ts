import { decodeProtectedHeader, importJWK, jwtVerify } from 'jose';
import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { newId } from '../../../src/kernel/ids.js';
import {
  claimsOf,
  isSignedBy,
  readJwt,
  sessionClaims,
  signJwt,
} from '../../../src/modules/session/domain/session-jwt.js';
import { type LiveSession, sessionDocument } from '../../../src/modules/session/domain/session.js';

const noon = new Date('2026-11-20T12:00:00.400Z');
const noonSeconds = Date.UTC(2026, 10, 20, 12) / 1000;
const ISSUER = 'https://id.example.com/app_1';
const CLAIM = 'https://id.example.com/jwt/session';
const kid = newId('signingKey');
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

function session(changes: Partial<LiveSession> = {}): LiveSession {
  return {
    id: newId('session'),
    userId: newId('user'),
    startedAt: noon,
    expiresAt: new Date(noon.getTime() + 3_600_000),
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

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A JWT with any header and claims, signed by our key as RS256 would be. */
function signed(header: object, claims: object): string {
  const input = `${part(header)}.${part(claims)}`;
  return `${input}.${sign('sha256', Buffer.from(input), privateKey).toString('base64url')}`;
}

describe('the claims of a session', () => {
  it('name issuer, user and session, and hold the session object under the configured claim', () => {
    const ann = session();
    expect(claimsOf(ann, ISSUER, CLAIM)).toEqual({
      iss: ISSUER,
      sub: ann.userId,
      jti: ann.id,
      iat: noonSeconds,
      nbf: noonSeconds - 60,
      exp: noonSeconds + 300,
      [CLAIM]: sessionDocument(ann),
    });
  });

  it('end with the session when that is sooner than five minutes', () => {
    const ending = session({ expiresAt: new Date(noon.getTime() + 42_000) });
    expect(claimsOf(ending, ISSUER, CLAIM).exp).toBe(noonSeconds + 42);
  });
});

describe('a session of very many factors', () => {
  it('accepts an earlier JWT and returns the latest one', async () => {
    const factor = (last_verified_at: number) => ({
      delivery_channel: 'email',
      type: 'otp',
      method: {
        method_id: newId('email'),
        method_type: 'email',
        last_verified_at,
        email: `${'a'.repeat(200)}@example.com`,
      },
    });
    const factors = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`${i}`, factor(i)]));
    const claims = claimsOf(session({ factors }), ISSUER, CLAIM);
    const read = readJwt(await signJwt(claims, kid, privateKey))!;
    const shown = (read.claims[CLAIM] as { factors: { method: { last_verified_at: number } }[] }).factors;
    expect(shown.length).toBeGreaterThan(5);
    expect(shown.map(({ method }) => method.last_verified_at)).toEqual(shown.map((_, i) => 100 - shown.length + i));
  });
});

describe('the session object', () => {
  it('lists the factors in the order of their last proof', () => {
    const factor = (last_verified_at: number) => ({
      delivery_channel: 'sms',
      type: 'otp',
      method: { method_id: 'a', method_type: 'phone_number', last_verified_at },
    });
    const { factors } = sessionDocument(session({ factors: { b: factor(20), a: factor(30), c: factor(10) } }));
    expect(factors.map(({ method }) => method.last_verified_at)).toEqual([10, 20, 30]);
  });
});

describe('a session JWT', () => {
  it('is RS256 with a kid, and verifies offline with a JOSE library', async () => {
    const claims = claimsOf(session(), ISSUER, CLAIM);
    const jwt = await signJwt(claims, kid, privateKey);
    expect(decodeProtectedHeader(jwt)).toEqual({ alg: 'RS256', kid, typ: 'JWT' });
    const key = await importJWK({ ...publicKey.export({ format: 'jwk' }), alg: 'RS256' });
    const { payload } = await jwtVerify(jwt, key, { issuer: ISSUER, currentDate: noon, algorithms: ['RS256'] });
    expect(payload).toEqual(claims);
  });

  it('comes back as the claims it was made of', async () => {
    const claims = claimsOf(session(), ISSUER, CLAIM);
    const read = readJwt(await signJwt(claims, kid, privateKey))!;
    expect(read.kid).toBe(kid);
    expect(isSignedBy(read, publicKey)).toBe(true);
    const { iss, sub, jti, iat, nbf, exp } = claims;
    expect(sessionClaims(read, ISSUER)).toEqual({ iss, sub, jti, iat, nbf, exp });
  });

  it('is not believed after any single character of it has changed', async () => {
    const jwt = await signJwt(claimsOf(session(), ISSUER, CLAIM), kid, privateKey);
    const believed = [];
    for (let i = 0; i < jwt.length; i++) {
      for (const other of [jwt[i] === 'A' ? 'B' : 'A', jwt[i] === 'w' ? 'x' : 'w']) {
        if (jwt[i] === '.') continue;
        const read = readJwt(jwt.slice(0, i) + other + jwt.slice(i + 1));
        if (read?.kid === kid && isSignedBy(read, publicKey)) believed.push(i);
      }
    }
    expect(believed).toEqual([]);
  });

  it.each([
    ['no signature', () => `${part({ alg: 'none', kid })}.${part({})}.`],
    ['alg none with a signature', () => signed({ alg: 'none', kid }, {})],
    [
      'HS256 under the public key',
      () => {
        const input = `${part({ alg: 'HS256', kid })}.${part({})}`;
        const secret = publicKey.export({ format: 'pem', type: 'spki' });
        return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
      },
    ],
    ['another RSA algorithm', () => signed({ alg: 'PS256', kid }, {})],
    ['an algorithm in other letters', () => signed({ alg: 'rs256', kid }, {})],
    ['no kid', () => signed({ alg: 'RS256' }, {})],
    ['a kid that is no id of ours', () => signed({ alg: 'RS256', kid: '../../etc/passwd' }, {})],
    ['a kid that is a list', () => signed({ alg: 'RS256', kid: [kid] }, {})],
    ['a critical extension', () => signed({ alg: 'RS256', kid, crit: ['exp'] }, {})],
    ['an unencoded payload', () => signed({ alg: 'RS256', kid, b64: false }, {})],
    ['claims that are a list', () => signed({ alg: 'RS256', kid }, [])],
    ['two parts', () => signed({ alg: 'RS256', kid }, {}).split('.').slice(0, 2).join('.')],
    ['four parts', () => `${signed({ alg: 'RS256', kid }, {})}.AA`],
    ['padding', () => `${signed({ alg: 'RS256', kid }, {})}==`],
    ['a line break', () => `${signed({ alg: 'RS256', kid }, {})}\n`],
    ['9 kB', () => signed({ alg: 'RS256', kid, pad: 'x'.repeat(7_000) }, {})],
    ['nothing', () => ''],
  ])('with %s is none of ours', (_, make) => {
    expect(readJwt(make())).toBeNull();
  });

  it('finds no key in its own header', () => {
    const mallory = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const input = `${part({ alg: 'RS256', kid, jwk: mallory.publicKey.export({ format: 'jwk' }) })}.${part({})}`;
    const jwt = `${input}.${sign('sha256', Buffer.from(input), mallory.privateKey).toString('base64url')}`;
    expect(isSignedBy(readJwt(jwt)!, publicKey)).toBe(false);
  });

  it.each([
    ['of another issuer', { iss: 'https://id.example.com/app_2' }],
    ['without a user', { sub: undefined }],
    ['for a session that is no id', { jti: 'session' }],
    ['without an end', { exp: undefined }],
    ['with an end in words', { exp: 'tomorrow' }],
    ['with half a second', { nbf: 0.5 }],
    ['with an end beyond all calendars', { exp: Number.MAX_SAFE_INTEGER }],
  ])('%s says nothing, though signed', (_, changes) => {
    const claims = { ...claimsOf(session(), ISSUER, CLAIM), ...changes };
    expect(sessionClaims(readJwt(signed({ alg: 'RS256', kid }, claims))!, ISSUER)).toBeNull();
  });
});
