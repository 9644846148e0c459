import type { AppId, TransferId } from '../../../src/kernel/ids.js';
import { TrackTransfer } from '../../../src/modules/transfer/tracking/application/track-transfer.js';
import type { TestApp } from '../../support/app.js';
import { eventually, patiently } from '../../support/eventually.js';
import { Money, type Payer } from '../../support/money.js';
import { Observer } from '../../support/observer.js';
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
      expect(await money.get(payer, queued)).toMatchObject({
        stage: 'queued',
        status: 'pending',
        stuck_reason: '',
        attempts: [],
      }),
    );
  });

  it.each(['payment', 'cancellation'])(
    'neither sends a %s again that the nodes have lost, nor replaces it',
    async (kind) => {
      const { ethereum: proxy } = money.proxies;
      const observer = await Observer.of(money.app);
      const sender = await money.payer('ethereum');
      const { id } = await money.created(sender);
      const track = () =>
        reader.nest.get(TrackTransfer, { strict: false }).execute(sender.app.id as AppId, id as TransferId);
      proxy.answer = (method) => (method === 'eth_sendRawTransaction' ? `0x${'0'.repeat(64)}` : undefined);
      try {
        expect((await money.confirm(sender, id)).status).toBe(200);
        if (kind === 'cancellation') {
          const early = `update transfers set confirmed_at = confirmed_at - interval '1 day' where id = $1`;
          await observer.rows(early, [id]);
          await track();
          const path = `/v1/transfers/${id}/cancel`;
          expect((await money.app.call('POST', path, { key: sender.app.secretKey })).status).toBe(200);
        }
        const early = `update transfer_attempts set created_at = created_at - interval '1 day' where transfer_id = $1`;
        await observer.rows(early, [id]);
        const sends = () => proxy.calls.get('eth_sendRawTransaction');
        const [sent, before] = [sends(), await money.get(sender, id)];
        await track();
        await track();
        expect(sends()).toBe(sent);
        expect(await money.get(sender, id)).toEqual(before);
        expect(before.attempts.at(-1).kind).toBe(kind);
        expect(before.stuck_reason).toBe(kind === 'payment' ? '' : 'not_in_a_block');
      } finally {
        proxy.answer = () => undefined;
        await observer.close();
      }
    },
  );
});
