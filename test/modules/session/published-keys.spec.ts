import { createSecretKey, randomBytes } from 'node:crypto';
import { KeysUnavailable } from '../../../src/kernel/errors.js';
import { newId } from '../../../src/kernel/ids.js';
import { SigningKeys } from '../../../src/modules/session/application/signing-keys.js';

const appId = newId('app');

describe('the published keys of an app whose keys are not available', () => {
  it('are refused if one of them has no MAC, because a partial set would refuse sessions', async () => {
    const publicJwk = { kty: 'RSA', n: 'AQAB', e: 'AQAB', alg: 'RS256', use: 'sig', key_ops: ['verify'] };
    const stored = ['current', 'next'].map((state) => ({
      appId,
      id: newId('signingKey'),
      state,
      publicJwk,
      publicMac: null as Buffer | null,
    }));
    const vault = {
      ready: async () => {
        throw new KeysUnavailable();
      },
    };
    const mac = createSecretKey(randomBytes(32));
    const keys = new SigningKeys(
      { of: async () => stored } as never,
      vault as never,
      undefined as never,
      { derive: () => mac } as never,
    );
    const { macOf } = SigningKeys.prototype as unknown as {
      macOf: (this: SigningKeys, app: string, jwk: object) => Buffer;
    };
    const authenticate = (key: (typeof stored)[number]): void => {
      key.publicMac = macOf.call(keys, appId, { ...publicJwk, kid: key.id });
    };
    authenticate(stored[0]!);
    await expect(keys.published(appId)).rejects.toThrow(KeysUnavailable);
    authenticate(stored[1]!);
    expect((await keys.published(appId)).jwks).toHaveLength(2);
  });
});
