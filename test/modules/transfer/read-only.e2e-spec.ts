import type { TestApp } from '../../support/app.js';
import { eventually, patiently } from '../../support/eventually.js';
import { Money, type Payer } from '../../support/money.js';
import { signIn } from '../../support/sign-in.js';

let money: Money;
/** Reads only, and tracks the payments that `money.app` has sent. */
let reader: TestApp;
let payer: Payer;

beforeAll(async () => {
  money = await Money.start({
    ethereum: { blockTime: 'never' },
    env: { TRANSFER_CONFIRM_WAIT_SECONDS: '0', ROLE: 'api' },
  });
  payer = await money.payer('ethereum', 100n);
  reader = await money.replica({ ROLE: 'all', READ_ONLY: 'true' });
});
afterAll(async () => {
  await reader?.stop();
  await money?.stop();
});

const secret = () => ({ key: payer.app.secretKey });
const REFUSED = { status: 503, body: { error_type: 'read_only' } };

describe('a service that only reads', () => {
  it('serves reads, searches and checks of sessions', async () => {
    const { session_token } = await signIn(money.app, payer.app, { user_id: payer.userId });
    const served = [
      await reader.call('GET', `/v1/auth/users/${payer.userId}`, secret()),
      await reader.call('POST', '/v1/auth/users/search', { ...secret(), body: {} }),
      await reader.call('POST', '/v1/auth/sessions/verify', { ...secret(), body: { session_token } }),
      await reader.call('GET', `/v1/auth/jwks/${payer.app.id}`),
      await reader.call('GET', '/readyz'),
    ];
    expect(served.map(({ status }) => status)).toEqual(served.map(() => 200));
    const extended = { session_token, session_expires_in: 60 };
    expect(await reader.call('POST', '/v1/auth/sessions/verify', { ...secret(), body: extended })).toMatchObject(
      REFUSED,
    );
  });

  it('refuses every change, also a login that begins by a GET', async () => {
    const refused = [
      await reader.call('POST', '/v1/auth/otps/email/login_or_create', { ...secret(), body: { email: 'a@b.example' } }),
      await reader.call('PUT', `/v1/auth/users/${payer.userId}/update`, { ...secret(), body: { name: 'Ann' } }),
      await reader.call('DELETE', `/v1/auth/users/${payer.userId}/delete`, secret()),
      await reader.call('POST', `/v1/wallets/${payer.walletId}/sign_message`, {
        ...secret(),
        body: { message: 'Hello' },
      }),
      await reader.call('GET', '/v1/auth/oauth/google/begin', { query: { public_token: payer.app.publicToken } }),
    ];
    for (const answer of refused) {
      expect(answer).toMatchObject(REFUSED);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    }
  });

  it('completes payments that were sent, and signs none that waits', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 17; i++) ids.push((await money.created(payer, { source_amount: '0.1' })).id);
    for (const id of ids) expect((await patiently(() => money.confirm(payer, id))).status).toBe(200);
    const queued = ids.pop()!;
    await eventually(async () => {
      await money.anvil.mine();
      for (const id of ids) expect((await money.get(payer, id)).status).toBe('completed');
    });
    await eventually(async () =>
      expect(await money.get(payer, queued)).toMatchObject({ stage: 'queued', status: 'pending', attempts: [] }),
    );
  });
});
