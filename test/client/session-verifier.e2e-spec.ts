import { SignJWT, UnsecuredJWT } from 'jose';
import { generateKeyPairSync } from 'node:crypto';
import {
  InvalidJwt,
  KeysUnavailable,
  SessionVerifier,
  type SessionVerifierOptions,
} from '../../openapi/client/src/index.js';
import type { AppId } from '../../src/kernel/ids.js';
import { SessionFacade } from '../../src/modules/session/index.js';
import { startApp, type TestApp } from '../support/app.js';
import type { GivenApp } from '../support/given.js';
import { Observer } from '../support/observer.js';
import { signIn } from '../support/sign-in.js';
import { FaultyNetwork } from './faulty-network.js';
import { signingKeyOf } from './signing-key.js';

const HOUR_MS = 3_600_000;

let network: FaultyNetwork;
let service: TestApp;
let observer: Observer;
let shop: GivenApp;
let ann: { user_id: string };
/** Milliseconds by which the clock of the verifier is ahead. */
let ahead: number;
beforeAll(async () => {
  network = await FaultyNetwork.start();
  service = await startApp({ env: { BASE_URL: network.url } });
  network.target = service.url;
  observer = await Observer.of(service);
});
beforeEach(async () => {
  shop = await service.given.app();
  ann = await service.given.user(shop);
  ahead = 0;
  network.reset();
});
afterAll(async () => {
  await observer?.close();
  await service?.stop();
  await network?.stop();
});

const verifier = (options: Partial<SessionVerifierOptions> = {}) =>
  new SessionVerifier({ baseUrl: network.url, appId: shop.id, now: () => Date.now() + ahead, ...options });
const newJwt = async (of = shop, user = ann) => (await signIn(service, of, user)).session_jwt;

/** Publishes the next key as if 15 minutes had passed, and signs with it. */
async function rotate(): Promise<void> {
  await observer.rows(
    `update signing_keys set created_at = now() - interval '16 minutes' where app_id = $1 and state = 'next'`,
    [shop.id],
  );
  expect(await service.nest.get(SessionFacade).rotateSigningKeys(shop.id as AppId)).toBe(true);
}

const signingKey = () => signingKeyOf(service, observer, shop.id);

/** Claims of a valid JWT. */
const claims = () => {
  const now = Math.floor(Date.now() / 1_000);
  return { iss: `${network.url}/${shop.id}`, sub: ann.user_id, jti: 'session_1', iat: now, nbf: now, exp: now + 300 };
};
const fault = (name: string) => ({ name: 'InvalidJwt', fault: name });

describe('a session JWT', () => {
  it('is verified without a call of the service once the keys are there', async () => {
    const verify = verifier();
    const jwts = [await newJwt(), await newJwt(), await newJwt()];
    const verified = await Promise.all(jwts.map((jwt) => verify.verify(jwt)));
    expect(verified).toMatchObject(jwts.map(() => ({ sub: ann.user_id, iss: `${network.url}/${shop.id}` })));
    expect(network.seen.map(({ path }) => path)).toEqual([`/v1/auth/jwks/${shop.id}`]);
  });

  it('is verified by keys from an internal address of the service', async () => {
    const jwksUrl = `${service.url}/v1/auth/jwks/${shop.id}`;
    expect(await verifier({ jwksUrl }).verify(await newJwt())).toMatchObject({ sub: ann.user_id });
    expect(network.seen).toEqual([]);
  });

  it('of a rotated key is verified with the keys fetched before, because the next key is published early', async () => {
    const verify = verifier();
    await verify.verify(await newJwt());
    await rotate();
    expect(await verify.verify(await newJwt())).toMatchObject({ sub: ann.user_id });
    expect(network.seen).toHaveLength(1);
  });

  it('of a key that is not known yet makes one fetch, and forged key ids make one per interval', async () => {
    const verify = verifier();
    await verify.verify(await newJwt());
    await rotate();
    await rotate();
    const unknown = await newJwt();
    await expect(verify.verify(unknown)).rejects.toMatchObject(fault('unknown_key'));
    ahead = 31_000;
    // All calls wait for the one fetch.
    const found = await Promise.all(Array.from({ length: 5 }, () => verify.verify(unknown)));
    expect(found).toHaveLength(5);
    expect(network.seen).toHaveLength(2);
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
    for (let i = 0; i < 5; i++) {
      const forged = await new SignJWT(claims()).setProtectedHeader({ alg: 'RS256', kid: `jwk_${i}` }).sign(privateKey);
      await expect(verify.verify(forged)).rejects.toMatchObject(fault('unknown_key'));
    }
    expect(network.seen).toHaveLength(2);
  });

  it('is verified for an hour with the last keys while the service is unavailable, and then no longer', async () => {
    const verify = verifier();
    const { kid, key } = await signingKeyAfter(verify);
    network.always = 'request_lost';
    ahead = HOUR_MS / 2;
    const fresh = () => {
      const exp = Math.floor((Date.now() + ahead) / 1_000) + 60;
      return new SignJWT({ ...claims(), exp }).setProtectedHeader({ alg: 'RS256', kid }).sign(key);
    };
    expect(await verify.verify(await fresh())).toMatchObject({ sub: ann.user_id });
    ahead = HOUR_MS + 1_000;
    await expect(verify.verify(await fresh())).rejects.toThrow(KeysUnavailable);
    network.always = null;
    ahead += 31_000;
    expect(await verify.verify(await fresh())).toMatchObject({ sub: ann.user_id });
  });

  it('is not refused as invalid if the keys never came', async () => {
    network.always = { status: 503 };
    await expect(verifier().verify(await newJwt())).rejects.toThrow(KeysUnavailable);
  });
});

async function signingKeyAfter(verify: SessionVerifier) {
  await verify.verify(await newJwt());
  return signingKey();
}

describe('a JWT is refused', () => {
  it.each<[string, string, (now: number) => Record<string, unknown>]>([
    ['after its end', 'expired', (now) => ({ exp: now - 6 })],
    ['before its begin', 'not_yet_valid', (now) => ({ nbf: now + 30 })],
    ['of another issuer', 'issuer', () => ({ iss: 'https://other.example/app_1' })],
    ['for another audience', 'audience', () => ({ aud: 'https://other.example' })],
    ['without an end', 'malformed', () => ({ exp: undefined })],
    ['without a user', 'malformed', () => ({ sub: undefined })],
  ])('%s, though the service signed it', async (_, name, change) => {
    const verify = verifier();
    const { kid, key } = await signingKeyAfter(verify);
    const changed = { ...claims(), ...change(claims().iat) };
    const jwt = await new SignJWT(changed).setProtectedHeader({ alg: 'RS256', kid }).sign(key);
    await expect(verify.verify(jwt)).rejects.toMatchObject(fault(name));
  });

  it('unless it is for the expected audience', async () => {
    const verify = verifier({ audience: 'https://shop.example' });
    const { kid, key } = await signingKeyAfter(verify);
    const jwtFor = (aud: string | string[]) =>
      new SignJWT({ ...claims(), aud }).setProtectedHeader({ alg: 'RS256', kid }).sign(key);
    expect(await verify.verify(await jwtFor(['a', 'https://shop.example']))).toMatchObject({ sub: ann.user_id });
    await expect(verify.verify(await jwtFor('a'))).rejects.toMatchObject(fault('audience'));
  });

  it('of another app', async () => {
    const other = await service.given.app();
    const jwt = await newJwt(other, await service.given.user(other));
    await expect(verifier().verify(jwt)).rejects.toMatchObject(fault('unknown_key'));
  });

  it('of another algorithm, also with a known key id', async () => {
    const { kid, key } = await signingKeyAfter(verifier());
    const byPublicKey = new TextEncoder().encode(JSON.stringify(key.export({ format: 'jwk' }).n));
    const attempts = [
      await new SignJWT(claims()).setProtectedHeader({ alg: 'HS256', kid }).sign(byPublicKey),
      await new SignJWT(claims()).setProtectedHeader({ alg: 'RS512', kid }).sign(key),
      await new SignJWT(claims()).setProtectedHeader({ alg: 'PS256', kid }).sign(key),
      new UnsecuredJWT(claims()).encode(),
    ];
    for (const jwt of attempts.slice(0, 3)) {
      await expect(verifier().verify(jwt)).rejects.toMatchObject(fault('algorithm'));
    }
    await expect(verifier().verify(attempts[3]!)).rejects.toThrow(InvalidJwt);
  });

  it('whose bytes were changed', async () => {
    const verify = verifier();
    const jwt = await newJwt();
    const [header, payload, signature] = jwt.split('.') as [string, string, string];
    const other = Buffer.from(JSON.stringify({ ...claims(), sub: 'user_other' })).toString('base64url');
    for (const changed of [`${header}.${other}.${signature}`, `${header}.${payload}.`]) {
      await expect(verify.verify(changed)).rejects.toMatchObject(fault('signature'));
    }
    for (const changed of ['', 'a', 'a.b', `${jwt}.a`, `${jwt}=`, ` ${jwt}`, 'x'.repeat(9_000)]) {
      await expect(verify.verify(changed)).rejects.toMatchObject(fault('malformed'));
    }
  });
});
