import { Client } from 'pg';
import type { AppId, TransferId } from '../../../../src/kernel/ids.js';
import { ExpireTransfers } from '../../../../src/modules/transfer/tracking/application/expire-transfers.js';
import { TrackTransfer } from '../../../../src/modules/transfer/tracking/application/track-transfer.js';
import type { Answer } from '../../../support/app.js';
import { Money, type Payer, SOL } from '../../../support/money.js';
import { backUpQueue, restoreQueue } from '../../../support/restored-books.js';

// Strangers name a Solana wallet in more transactions than one look reads. The tracker is stopped: each test decides who
// looks at which transfer.
const FLOOD = 25_000;
const UNREAD = { status: 'pending', stuck_reason: 'history_too_long', attempts: [] };
const CANCELLING = { ...UNREAD, cancel_requested_at: expect.any(Number) };

let money: Money;
let database: Client;
beforeAll(async () => {
  money = await Money.start({
    solana: { slotMs: undefined, finalizedAfter: 8 },
    env: { ROLE: 'api', TRANSFER_CONFIRM_WAIT_SECONDS: '0' },
  });
  database = new Client({ connectionString: money.app.databaseUrl });
  await database.connect();
  money.solana.advance(2);
});
afterAll(async () => {
  await database.end();
  await money.stop();
});
afterEach(() => {
  money.solana.fate = () => 'land';
  money.proxies.solana.change = null;
  money.proxies.solana.fault = () => null;
});

/** Transactions of strangers that are final. */
function flood({ address }: Payer, count = FLOOD): void {
  money.solana.flood(address, count);
  money.solana.advance(12);
}

async function look(payer: Payer, id: string): Promise<void> {
  await money.app.nest.get(TrackTransfer, { strict: false }).execute(payer.app.id as AppId, id as TransferId);
}

/** Looks at it until it shows this, on a moving chain; returns the number of looks. */
async function looksUntil(payer: Payer, id: string, state: object, slots = 52): Promise<number> {
  for (let looks = 0; looks < 20; looks++) {
    const transfer = await money.get(payer, id);
    if (Object.entries(state).every(([name, value]) => transfer[name] === value)) return looks;
    await look(payer, id);
    money.solana.advance(slots);
  }
  expect(await money.get(payer, id)).toMatchObject(state);
  throw new Error('It shows it only now.');
}

const cancel = ({ app }: Payer, id: string): Promise<Answer> =>
  money.app.call('POST', `/v1/transfers/${id}/cancel`, { key: app.secretKey });

const deleteUser = ({ app, userId }: Payer): Promise<Answer> =>
  money.app.call('DELETE', `/v1/auth/users/${userId}/delete`, { key: app.secretKey });

/** The server of a copied data directory has started since the transfers of the wallet were created. */
async function startServerAfter({ address }: Payer): Promise<void> {
  await database.query(
    `update transfers set created_at = pg_postmaster_start_time() - interval '1 s' where source_address = $1`,
    [address],
  );
}

describe('a solana transfer of a wallet that strangers name in many transactions', () => {
  it('waits while they are read, a part at each look, and is paid once', async () => {
    const payer = await money.payer('solana');
    const { id, dest } = await money.created(payer);
    flood(payer);
    expect(await money.confirm(payer, id)).toMatchObject({ status: 200, body: UNREAD });
    // What is added at the top meanwhile is read too.
    flood(payer, 1_500);
    await look(payer, id);
    expect(await money.get(payer, id)).toMatchObject({ status: 'pending', stuck_reason: '', attempts: [{}] });
    await looksUntil(payer, id, { status: 'completed' });
    expect(await money.balance('solana', dest)).toBe(SOL / 2n);
    // The part that was read serves the next transfer.
    const next = await money.created(payer);
    expect((await money.confirm(payer, next.id)).body).toMatchObject({ stuck_reason: '', attempts: [{}] });
  });

  it('is refused for its balance while they are unread, and nothing has changed', async () => {
    const payer = await money.payer('solana', 1n);
    const [{ id }, next] = [await money.created(payer), await money.created(payer)];
    flood(payer);
    expect((await money.confirm(payer, id)).body).toMatchObject(UNREAD);
    expect(await money.confirm(payer, next.id)).toMatchObject({ status: 409 });
    expect(await money.get(payer, next.id)).toMatchObject({ status: 'unconfirmed' });
  });

  it('is signed again once they are read', async () => {
    const payer = await money.payer('solana');
    const { id, dest } = await money.created(payer);
    money.solana.fate = () => 'forget';
    await money.confirm(payer, id);
    flood(payer);
    money.solana.expireBlockhashes();
    await looksUntil(payer, id, { stuck_reason: 'history_too_long' });
    money.solana.fate = () => 'land';
    await looksUntil(payer, id, { status: 'completed' });
    expect((await money.get(payer, id)).attempts).toHaveLength(2);
    expect(await money.balance('solana', dest)).toBe(SOL / 2n);
  });

  it('is cancelled once they are read where it was signed, and its user can be deleted', async () => {
    const payer = await money.payer('solana');
    const { id, dest } = await money.created(payer);
    money.solana.fate = () => 'forget';
    await money.confirm(payer, id);
    flood(payer);
    money.solana.expireBlockhashes();
    expect(await cancel(payer, id)).toMatchObject({ status: 200, body: { status: 'pending' } });
    await looksUntil(payer, id, { stuck_reason: 'history_too_long' });
    expect(await deleteUser(payer)).toMatchObject({ status: 409 });
    await looksUntil(payer, id, { status: 'cancelled' });
    expect(await deleteUser(payer)).toMatchObject({ status: 200 });
    expect(await money.balance('solana', dest)).toBe(0n);
  });

  it('takes a cancellation where nothing was signed, and is not signed after it', async () => {
    const payer = await money.payer('solana');
    const { id, dest } = await money.created(payer);
    flood(payer, 2 * FLOOD);
    expect((await money.confirm(payer, id)).body).toMatchObject(UNREAD);
    expect(await cancel(payer, id)).toMatchObject({ status: 200, body: CANCELLING });
    await looksUntil(payer, id, { status: 'cancelled' });
    expect(await money.balance('solana', dest)).toBe(0n);
  });

  it('takes a cancellation while it is unconfirmed and older than the server, and cannot be confirmed after it', async () => {
    const payer = await money.payer('solana');
    const { id, dest } = await money.created(payer);
    await startServerAfter(payer);
    flood(payer, 2 * FLOOD);
    expect(await cancel(payer, id)).toMatchObject({ status: 200, body: CANCELLING });
    expect(await money.confirm(payer, id)).toMatchObject({ status: 200, body: UNREAD });
    await looksUntil(payer, id, { status: 'cancelled' });
    expect(await money.confirm(payer, id)).toMatchObject({ status: 409 });
    expect(await money.balance('solana', dest)).toBe(0n);
  });

  it('expires without a call where it is unconfirmed and older than the server', async () => {
    const payer = await money.payer('solana');
    const { id } = await money.created(payer);
    await startServerAfter(payer);
    await database.query('update transfers set expires_at = now() where id = $1', [id]);
    flood(payer);
    const expire = (): Promise<void> => money.app.nest.get(ExpireTransfers, { strict: false }).execute();
    await expire();
    expect(await money.get(payer, id)).toMatchObject({ status: 'unconfirmed' });
    await expire();
    // Bytes that a snapshot has forgotten may land until then.
    expect(await money.get(payer, id)).toMatchObject({ status: 'unconfirmed' });
    money.solana.advance(250);
    await expire();
    expect(await money.get(payer, id)).toMatchObject({ status: 'expired' });
  });

  it('is not paid again although its forgotten payment lies below them', async () => {
    const payer = await money.payer('solana');
    const { id, dest } = await money.created(payer);
    const backup = await backUpQueue(database, payer.address);
    await money.confirm(payer, id);
    money.solana.advance(12);
    // So that the balance alone does not refuse a second payment.
    money.solana.fund(payer.address, 10n * SOL);
    flood(payer);
    await restoreQueue(database, backup);
    expect((await money.confirm(payer, id)).body).toMatchObject(UNREAD);
    expect(await cancel(payer, id)).toMatchObject({ status: 409 });
    await looksUntil(payer, id, { status: 'completed' });
    expect((await money.get(payer, id)).attempts).toHaveLength(1);
    expect(await money.balance('solana', dest)).toBe(SOL / 2n);
  });

  it('is not paid again although another transfer had its forgotten payment read', async () => {
    const payer = await money.payer('solana');
    const [{ id, dest }, next] = [await money.created(payer), await money.created(payer)];
    const backup = await backUpQueue(database, payer.address);
    await money.confirm(payer, id);
    money.solana.advance(12);
    money.solana.fund(payer.address, 10n * SOL);
    flood(payer);
    await restoreQueue(database, backup);
    expect((await money.confirm(payer, next.id)).body).toMatchObject(UNREAD);
    await looksUntil(payer, next.id, { status: 'completed' });
    await money.confirm(payer, id);
    await looksUntil(payer, id, { status: 'completed' });
    expect(await money.balance('solana', dest)).toBe(SOL / 2n);
  });

  it.each([
    ['knows none of the positions', (hasPosition: boolean) => hasPosition],
    ['has deleted or does not have yet all that was read', () => true],
  ])('neither ends nor is signed while its node %s', async (_, isEmpty) => {
    const payer = await money.payer('solana');
    const { id, dest } = await money.created(payer);
    flood(payer, 2 * FLOOD);
    await money.confirm(payer, id);
    await cancel(payer, id);
    money.proxies.solana.change = (method, result) => {
      if (method !== 'getSignaturesForAddress') return result;
      return isEmpty((result as unknown[]).length > 100 || (result as unknown[]).length === 0) ? [] : result;
    };
    for (let looks = 0; looks < 4; looks++) await look(payer, id).catch(() => undefined);
    expect(await money.get(payer, id)).toMatchObject({ status: 'pending', attempts: [] });
    money.proxies.solana.change = null;
    await looksUntil(payer, id, { status: 'cancelled' });
    expect(await money.balance('solana', dest)).toBe(0n);
  });

  it('is read on although the node limits the calls of each look', async () => {
    const payer = await money.payer('solana');
    const { id } = await money.created(payer);
    flood(payer);
    await money.confirm(payer, id);
    for (let looks = 0; looks < 8; looks++) {
      let left = 4;
      money.proxies.solana.fault = (method) => (method === 'getSignaturesForAddress' && left-- <= 0 ? 'limited' : null);
      await look(payer, id).catch(() => undefined);
    }
    money.proxies.solana.fault = () => null;
    expect((await money.get(payer, id)).attempts).toHaveLength(1);
  });

  it('is read on by several processes at once, without losing what one of them has read', async () => {
    const payer = await money.payer('solana');
    const { id, dest } = await money.created(payer);
    flood(payer, 2 * FLOOD);
    await money.confirm(payer, id);
    const { calls } = money.proxies.solana;
    const before = calls.get('getSignaturesForAddress') ?? 0;
    for (let rounds = 0; rounds < 3; rounds++) await Promise.all([look(payer, id), look(payer, id), look(payer, id)]);
    // 50 pages, of which the confirmation has read 20. Each of nine looks reads a few before it stops for another one.
    expect(calls.get('getSignaturesForAddress')! - before).toBeLessThan(35 + 9 * 6);
    await looksUntil(payer, id, { status: 'completed' });
    expect(await money.balance('solana', dest)).toBe(SOL / 2n);
  });
});
