import { Wallet } from 'ethers';
import { Database } from '../../../src/postgres/database.js';
import { type Answer, startApp, type TestApp } from '../../support/app.js';
import type { GivenApp } from '../../support/given.js';

let service: TestApp;
let app: GivenApp;
beforeAll(async () => {
  service = await startApp();
  app = await service.given.app({ default_wallet_type: 'none' });
});
afterAll(() => service?.stop());

const post = (path: string, body: object): Promise<Answer> =>
  service.call('POST', `/v1/auth/wallets/${path}`, { key: app.secretKey, body });
const refusal = ({ status, body }: Answer) => [status, body.error_type];
const INVALID = [400, 'invalid_wallet_signature'];

describe('a login with a wallet of its user', () => {
  const named = (wallet: { address: string }) => ({ wallet_type: 'ethereum', public_address: wallet.address });

  it('answers a challenge once, within its time', async () => {
    const wallet = Wallet.createRandom();
    const answered = async () => {
      const { body } = await post('registrations/begin', named(wallet));
      return { ...named(wallet), signature: wallet.signMessageSync(body.challenge) };
    };
    const proof = await answered();
    const { user_id } = (await post('verify', proof)).body;
    expect(refusal(await post('verify', proof))).toEqual(INVALID);
    const late = await answered();
    await service.nest.get(Database).write('update wallet_registrations set expires_at = now()');
    expect(refusal(await post('verify', late))).toEqual(INVALID);
    expect((await post('verify', await answered())).body.user_id).toBe(user_id);
  });

  it('answers no challenge by the signature of an empty text, which a nonce has', async () => {
    const wallet = Wallet.createRandom();
    await post('registrations/nonce', named(wallet));
    const proof = { ...named(wallet), signature: wallet.signMessageSync('') };
    expect(refusal(await post('verify', proof))).toEqual(INVALID);
  });
});
