import { KeysUnavailable } from '../../../src/kernel/errors.js';
import { newId } from '../../../src/kernel/ids.js';
import { CompleteOauthLogin } from '../../../src/modules/oauth/application/complete-oauth-login.js';

describe('the callback of an identity provider', () => {
  it('spends no state while the key of the sealed verifier does not open', async () => {
    const verifier = Buffer.from('sealed');
    const consumeState = jest.fn(async () => null);
    const absent = undefined as never;
    const ready = async (_: string, sealed?: Uint8Array) => {
      if (sealed === verifier) throw new KeysUnavailable();
    };
    const login = new CompleteOauthLogin(
      { appOfConnection: async () => newId('app') } as never,
      absent,
      absent,
      { sealedVerifier: async () => verifier, consumeState } as never,
      absent,
      absent,
      { hash: () => Buffer.alloc(0) } as never,
      { ready } as never,
      absent,
    );
    const browser = { state: 'state', response: absent, network: '', requestId: '' };
    await expect(login.execute(newId('oauthConnection'), browser)).rejects.toThrow(KeysUnavailable);
    expect(consumeState).not.toHaveBeenCalled();
  });
});
