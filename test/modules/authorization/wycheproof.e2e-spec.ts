import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compactVerify, createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet } from 'jose';
import { ASSERTION_ALGORITHMS, isPublicKey } from '../../../src/modules/authorization/domain/client-rules.js';
import { isSignedBy, type UnverifiedJwt } from '../../../src/modules/session/domain/session-jwt.js';
import { startApp, type TestApp } from '../../support/app.js';
import { Server } from './servers.js';

/** The folder `testvectors_v1` of github.com/C2SP/wycheproof, which no package carries. */
const VECTORS = process.env['WYCHEPROOF'];

interface Vector {
  readonly tcId: number;
  readonly comment: string;
  readonly result: 'valid' | 'invalid' | 'acceptable';
}

interface JwsGroup {
  readonly public?: JsonWebKey & { readonly keys?: readonly JsonWebKey[] };
  readonly private?: JwsGroup['public'];
  readonly tests: readonly (Vector & { readonly jws: unknown })[];
}

interface RsaGroup {
  readonly publicKeyPem: string;
  readonly tests: readonly (Vector & { readonly msg: string; readonly sig: string })[];
}

const groupsIn = (file: string): readonly unknown[] =>
  (JSON.parse(readFileSync(join(VECTORS!, `${file}_test.json`), 'utf8')) as { testGroups: unknown[] }).testGroups;
const jwsGroups = () => ['json_web_signature', 'json_web_key'].flatMap(groupsIn) as JwsGroup[];
const rsaGroups = () => groupsIn('rsa_signature_2048_sha256') as RsaGroup[];

/** The keys that a client could publish, also if they are secret ones. */
const keysOf = (group: JwsGroup): readonly JsonWebKey[] => {
  const key = (group.public ?? group.private)!;
  return key.keys ?? [key];
};

(VECTORS ? describe : describe.skip)('the vectors of Wycheproof (skipped unless WYCHEPROOF is their folder)', () => {
  it('have no key and no signature that is taken although it is invalid', async () => {
    const judged = { valid: 0, invalid: 0, acceptable: 0 };
    for (const group of jwsGroups()) {
      const keys = keysOf(group);
      const areTaken = keys.every(isPublicKey);
      const set = createLocalJWKSet({ keys } as JSONWebKeySet);
      for (const { jws, result, ...named } of group.tests) {
        const isTaken =
          areTaken &&
          (await compactVerify(String(jws), set, { algorithms: [...ASSERTION_ALGORITHMS] }).then(
            () => true,
            () => false,
          ));
        const expected =
          result === 'valid' && areTaken && ASSERTION_ALGORITHMS.includes(decodeProtectedHeader(String(jws)).alg!);
        expect({ ...named, isTaken }).toEqual({ ...named, isTaken: expected });
        judged[result]++;
      }
    }
    expect(judged.valid > 40 && judged.invalid > 300).toBe(true);
  });

  it('have no RSA signature that makes a JWT of a session valid although it is not', () => {
    let valid = 0;
    for (const { publicKeyPem, tests } of rsaGroups())
      for (const { msg, sig, result, ...named } of tests) {
        const input = Buffer.from(msg, 'hex').toString();
        // A JWT is a text.
        if (Buffer.from(input).toString('hex') !== msg) continue;
        const isSigned = isSignedBy(
          { input, signature: Buffer.from(sig, 'hex') } as UnverifiedJwt,
          createPublicKey(publicKeyPem),
        );
        expect({ ...named, isSigned }).toEqual({ ...named, isSigned: result === 'valid' });
        if (isSigned) valid++;
      }
    expect(valid).toBeGreaterThan(4);
  });

  describe('at the service', () => {
    let service: TestApp;
    beforeAll(async () => {
      service = await startApp({ env: { ROLE: 'api' } });
    });
    afterAll(async () => {
      await service?.stop();
    });

    it('give neither a session nor a token', async () => {
      const server = await Server.of(service);
      const path = `/management/v1/apps/${server.app.id}/oauth_clients`;
      for (const group of jwsGroups()) {
        const standard = { name: 'Import', type: 'confidential', grant_types: ['client_credentials'] };
        const body = { ...standard, token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: keysOf(group) } };
        const made = await service.call('POST', path, { key: service.managementKey, body });
        expect(made.status).toBe(keysOf(group).every(isPublicKey) ? 200 : 400);
        for (const { jws, ...named } of group.tests) {
          const session_jwt = typeof jws === 'string' ? jws : JSON.stringify(jws);
          const call = { key: server.app.secretKey, body: { session_jwt } };
          const verified = await service.call('POST', '/v1/auth/sessions/verify', call);
          const asserted = await server.post('/token', null, {
            grant_type: 'client_credentials',
            client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
            client_assertion: session_jwt,
            ...(made.status === 200 && { client_id: made.body.id }),
          });
          const isRefused = [verified, asserted].map(({ status }) => status >= 400 && status < 500);
          expect({ ...named, isRefused }).toEqual({ ...named, isRefused: [true, true] });
        }
      }
    });
  });
});
