import type { WalletType } from '../../../src/kernel/chain/chain-name.js';
import { parseEther, parseUnits } from 'ethers';
import { Client } from 'pg';
import { newId } from '../../../src/kernel/ids.js';
import { ExpireTransfers } from '../../../src/modules/transfer/tracking/application/expire-transfers.js';
import { type Answer, MANAGEMENT_KEY, type TestApp } from '../../support/app.js';
import { eventually, patiently } from '../../support/eventually.js';
import { unique } from '../../support/given.js';
import { isRemembered, itOfRoundTrips, roundTripsOf } from '../../support/statements.js';
import { Money, newAddress, type Payer } from '../../support/money.js';
import { signRows } from '../../support/row-macs.js';

const CHAINS: WalletType[] = ['ethereum', 'solana'];
const DECIMALS = { ethereum: 18, solana: 9 } as const;

let money: Money;
let database: Client;

beforeAll(async () => {
  money = await Money.start();
  database = new Client({ connectionString: money.app.databaseUrl });
  await database.connect();
});
afterAll(async () => {
  await database.end();
  await money.stop();
});
afterEach(() => {
  for (const proxy of Object.values(money.proxies)) proxy.fault = () => null;
});

function refusal({ status, body }: Answer): unknown {
  return [status, body.error_type];
}

function units(chain: WalletType, text: string): bigint {
  return parseUnits(text, DECIMALS[chain]);
}

/** Lets the quote run out. Tests of expiry move the row, not the clock. */
async function expire(id: string): Promise<void> {
  await database.query(`update transfers set expires_at = now() where id = $1`, [id]);
}

async function eventsOf(payer: Payer, id: string): Promise<string[]> {
  const { rows } = await database.query<{ type: string }>(
    `select type from stored_events where app_id = $1 and data->>'transfer_id' = $2 order by position, seq`,
    [payer.app.id, id],
  );
  return rows.map(({ type }) => type);
}

describe.each(CHAINS)('a transfer on %s', (chain) => {
  let payer: Payer;
  beforeAll(async () => {
    payer = await money.payer(chain, 1000n);
  });

  it('is quoted, confirmed and completed, and returns its cost', async () => {
    const dest = newAddress(chain);
    const created = await money.created(payer, { dest, source_amount: '0.25', notes: 'rent', custom_id: unique() });
    expect(created).toMatchObject({
      app_id: payer.app.id,
      user_id: payer.userId,
      source: payer.walletId,
      status: 'unconfirmed',
      dest,
      dest_amount: '0.25',
      source_currency: chain,
      dest_currency: chain,
      notes: 'rent',
      blockchain_tx_hash: '',
      confirmed_at: 0,
      completed_at: 0,
      cancelled_at: 0,
      attempts: [],
    });
    expect(created.expires_at - created.created_at).toBe(120);
    expect(units(chain, created.source_amount)).toBe(units(chain, '0.25') + units(chain, created.total_fees));

    const before = await money.balance(chain, payer.address);
    const confirmed = await money.confirm(payer, created.id, { user_id: payer.userId });
    expect(confirmed.status).toBe(200);
    expect(confirmed.headers.get('x-api-stability')).toBe('beta');
    expect(confirmed.body).toMatchObject({ id: created.id, status: 'completed', stage: '', dest_amount: '0.25' });
    expect(confirmed.body.completed_at).toBeGreaterThan(0);
    expect(confirmed.body.confirmed_at).toBeGreaterThan(0);
    expect(confirmed.body.attempts.map(({ hash }: { hash: string }) => hash)).toEqual([
      confirmed.body.blockchain_tx_hash,
    ]);
    // What the chain took, no longer the quote.
    const left = await money.balance(chain, payer.address);
    const fees = units(chain, confirmed.body.total_fees);
    expect(fees).toBeLessThanOrEqual(units(chain, created.total_fees));
    expect(before - left).toBe(units(chain, '0.25') + fees);
    expect(before - left).toBe(units(chain, confirmed.body.source_amount));
    expect(await money.balance(chain, dest)).toBe(units(chain, '0.25'));
    expect(await eventsOf(payer, created.id)).toEqual([
      'transfer.unconfirmed',
      'transfer.pending',
      'transfer.confirmed',
      'transfer.completed',
    ]);
    expect(await money.get(payer, created.id)).toEqual(confirmed.body);
  });

  it('takes the fees out of the amount when asked to', async () => {
    const dest = newAddress(chain);
    const created = await money.created(payer, { dest, source_amount: '0.3', amount_includes_fees: true });
    expect(created.source_amount).toBe('0.3');
    expect(units(chain, created.dest_amount)).toBe(units(chain, '0.3') - units(chain, created.total_fees));
    const { body } = await money.confirm(payer, created.id);
    expect(body.status).toBe('completed');
    expect(await money.balance(chain, dest)).toBe(units(chain, created.dest_amount));
  });

  it('is paid once, however many confirm it at once on two replicas', async () => {
    const replica = await money.replica();
    try {
      const dest = newAddress(chain);
      const { id } = await money.created(payer, { dest, source_amount: '0.125' });
      const apps: TestApp[] = [money.app, replica];
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, i) => patiently(() => money.confirm(payer, id, {}, apps[i % 2]!))),
      );
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
      const completed = answers.filter(({ body }) => body.status === 'completed');
      expect(completed.length).toBeGreaterThanOrEqual(1);
      const transfer = await money.get(payer, id);
      expect(transfer.attempts).toHaveLength(1);
      expect(await money.balance(chain, dest)).toBe(units(chain, '0.125'));
      expect(await eventsOf(payer, id)).toEqual([
        'transfer.unconfirmed',
        'transfer.pending',
        'transfer.confirmed',
        'transfer.completed',
      ]);
      // And never again: an ended one is answered as it stands.
      expect((await money.confirm(payer, id)).body).toEqual(transfer);
      expect(await money.balance(chain, dest)).toBe(units(chain, '0.125'));
    } finally {
      await replica.stop();
    }
  });

  it('pays many different transfers of one wallet at once, each once', async () => {
    const dests = Array.from({ length: 12 }, () => newAddress(chain));
    const transfers = await Promise.all(dests.map((dest) => money.created(payer, { dest, source_amount: '0.1' })));
    const answers = await Promise.all(transfers.map(({ id }) => patiently(() => money.confirm(payer, id))));
    expect(answers.map(({ body }) => body.status)).toEqual(answers.map(() => 'completed'));
    for (const dest of dests) expect(await money.balance(chain, dest)).toBe(units(chain, '0.1'));
  });

  it('is pending, with its hash, if the chain becomes unavailable after the signature, and is sent when it is available again', async () => {
    const dest = newAddress(chain);
    const { id } = await money.created(payer, { dest });
    const sends = ['eth_sendRawTransaction', 'sendTransaction'];
    const impatient = await money.replica({ TRANSFER_CONFIRM_WAIT_SECONDS: '0', ROLE: 'api' });
    try {
      money.proxies[chain].fault = (method) => (sends.includes(method) ? 'request_lost' : null);
      // Its blockhash is to be valid until it arrives.
      money.solana.isFrozen = true;
      const { body } = await money.confirm(payer, id, {}, impatient);
      expect(body).toMatchObject({ status: 'pending', completed_at: 0 });
      expect(body.blockchain_tx_hash).not.toBe('');
      const { stage, updated_at, ...asStored } = body;
      expect(await money.get(payer, id)).toMatchObject(asStored);
      expect(await money.balance(chain, dest)).toBe(0n);
      money.proxies[chain].fault = () => null;
      await eventually(async () => expect(await money.balance(chain, dest)).toBe(units(chain, '0.5')));
      money.solana.isFrozen = false;
      const completed = await money.become(payer, id, 'completed');
      expect(completed.blockchain_tx_hash).toBe(body.blockchain_tx_hash);
      expect(await money.balance(chain, dest)).toBe(units(chain, '0.5'));
    } finally {
      money.solana.isFrozen = false;
      await impatient.stop();
    }
  });

  itOfRoundTrips('takes three round trips to the database until it is sent', async () => {
    const impatient = await money.replica({ TRANSFER_CONFIRM_WAIT_SECONDS: '0', ROLE: 'api' });
    try {
      let fewest: string[] | undefined;
      // The first ones prepare their statements.
      await money.withoutTracker(async () => {
        for (let tries = 0; tries < 8 && fewest?.length !== 3; tries++) {
          const { id } = await money.created(payer, { source_amount: '0.001' });
          const trips = await roundTripsOf(() => money.confirm(payer, id, {}, impatient));
          const own = trips
            .filter((trip) => !trip.every(isRemembered))
            .map((trip) => trip.map(({ text }) => text.trim()).join(';'));
          if (!fewest || own.length < fewest.length) fewest = own;
        }
      });
      expect(fewest).toEqual([
        expect.stringMatching(/^select [^;]* from transfers t/),
        expect.stringMatching(/^begin[^;]*;.*insert into sender_queues.*from wallets/s),
        expect.stringMatching(/insert into transfer_attempts[^;]*;insert into unsequenced_events[^;]*;commit$/),
      ]);
    } finally {
      await impatient.stop();
    }
  });

  it('is refused when the wallet holds less than the amount and the fees, and nothing has changed', async () => {
    const poor = await money.payer(chain, 1n);
    expect(refusal(await money.create(poor, { source_amount: '2' }))).toEqual([409, 'insufficient_funds']);
    expect(refusal(await money.create(poor, { source_amount: '1' }))).toEqual([409, 'insufficient_funds']);
    const unit = chain === 'ethereum' ? 'ether' : 'SOL';
    const smallest = chain === 'ethereum' ? 'wei' : 'lamports';
    expect((await money.create(poor, { source_amount: '1000000000' })).body.detail).toBe(
      `The wallet holds 1 ${unit}; the payment takes up to 1000000000 ${unit}. Amounts are in ${unit}, not ${smallest}.`,
    );
    expect((await money.create(poor, { source_amount: '1' })).body.detail).toMatch(
      new RegExp(`^The wallet holds 1 ${unit}; the payment with its fees takes up to 1\\.0\\d+ ${unit}\\.`),
    );
    const created = await money.created(poor, { source_amount: '0.9' });
    await drain(poor);
    expect(refusal(await money.confirm(poor, created.id))).toEqual([409, 'insufficient_funds']);
    expect(await money.get(poor, created.id)).toEqual(created);
    await money.fund(chain, poor.address, 1n);
    expect((await money.confirm(poor, created.id)).body.status).toBe('completed');
  });

  /** Another payment takes the wallet's balance. */
  async function drain({ address }: Payer): Promise<void> {
    if (chain === 'ethereum') await money.anvil.fund(address, 1n);
    else money.solana.fund(address, -money.solana.balance(address) + 900_000n);
  }

  it('is refused while open transfers of the wallet may still take what it needs', async () => {
    const poor = await money.payer(chain, 1n);
    const [first, second] = [
      await money.created(poor, { source_amount: '0.6' }),
      await money.created(poor, { source_amount: '0.6' }),
    ];
    const answers = await Promise.all([money.confirm(poor, first.id), money.confirm(poor, second.id)]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]));
    expect(answers.find(({ status }) => status === 409)!.body.error_type).toBe('insufficient_funds');
    const paid = (await money.balance(chain, first.dest)) + (await money.balance(chain, second.dest));
    expect(paid).toBe(units(chain, '0.6'));
  });

  it('keeps a custom id for one transfer permanently, and names it', async () => {
    const custom_id = unique();
    const answers = await Promise.all(Array.from({ length: 20 }, () => money.create(payer, { custom_id })));
    const [first, ...others] = answers.filter(({ status }) => status === 200);
    expect(others).toEqual([]);
    for (const answer of answers.filter((answer) => answer !== first)) {
      expect(refusal(answer)).toEqual([409, 'duplicate_custom_id']);
      expect(answer.body.error_message).toContain(first!.body.id);
    }
    await money.app.call('POST', `/v1/transfers/${first!.body.id}/cancel`, { key: payer.app.secretKey });
    expect(refusal(await money.create(payer, { custom_id }))).toEqual([409, 'duplicate_custom_id']);
    // As are the numbers some callers have: one is its digits.
    const number = Number(`${Date.now()}`.slice(-9));
    expect((await money.create(payer, { custom_id: number })).body.custom_id).toBe(String(number));
    expect(refusal(await money.create(payer, { custom_id: String(number) }))).toEqual([409, 'duplicate_custom_id']);
    expect((await money.create(payer, { custom_id: null })).body.custom_id).toBeNull();
    for (const wrong of ['', 1.5, true, {}, 'x'.repeat(256)]) {
      expect(refusal(await money.create(payer, { custom_id: wrong }))).toEqual([400, 'invalid_request']);
    }
    // Another app's ids are its own.
    const elsewhere = await money.payer(chain);
    expect((await money.create(elsewhere, { custom_id })).status).toBe(200);
  });

  it('is created once under an idempotency key, which returns the same again even if the node is unavailable', async () => {
    const [key, dest] = [unique(), newAddress(chain)];
    const create = () =>
      money.app.call('POST', '/v1/transfers/create', {
        key: payer.app.secretKey,
        headers: { 'idempotency-key': key },
        body: { source: payer.walletId, dest, source_amount: '0.1', source_currency: chain },
      });
    const answers = await Promise.all(Array.from({ length: 20 }, create));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    money.proxies[chain].fault = () => 'unavailable';
    const replayed = await create();
    expect(replayed.body).toEqual(answers[0]!.body);
    expect(replayed.headers.get('idempotent-replayed')).toBe('true');
  });

  it('holds no connection of the database while it waits for a node', async () => {
    const proxy = money.proxies[chain];
    let open = (): void => undefined;
    proxy.gate = new Promise((resolve) => (open = resolve));
    proxy.calls.clear();
    const create = () =>
      money.app.call('POST', '/v1/transfers/create', {
        key: payer.app.secretKey,
        headers: { 'idempotency-key': unique() },
        body: { source: payer.walletId, dest: newAddress(chain), source_amount: '0.1', source_currency: chain },
      });
    // More than the pool has connections; few of them wait for one afterwards, which they do for 3 s at most.
    const waiting = Promise.all(Array.from({ length: 12 }, create));
    await eventually(() => expect(proxy.calls.size).toBeGreaterThan(0));
    // Until none is left: transactions of background loops end, and one that a waiting call held would not.
    await eventually(async () => {
      const { rows } = await database.query(
        `select query from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`,
      );
      expect(rows).toHaveLength(0);
    }).finally(open);
    expect((await waiting).flatMap((answer) => (answer.status === 200 ? [] : [refusal(answer)]))).toEqual([]);
  });

  it('cannot be confirmed once it has expired', async () => {
    const { id } = await money.created(payer);
    await expire(id);
    expect(refusal(await money.confirm(payer, id))).toEqual([409, 'transfer_expired']);
    expect(refusal(await cancel(id))).toEqual([409, 'transfer_expired']);
    await money.app.nest.get(ExpireTransfers, { strict: false }).execute();
    const { updated_at, expires_at } = await money.become(payer, id, 'expired');
    expect(updated_at).toBe(expires_at);
  });

  it.each([
    ['a confirmation', (id: string) => money.confirm(payer, id)],
    ['a cancellation', (id: string) => cancel(id)],
  ])('stays expired after %s was refused for that, although the clock of the database is set back', async (_, call) => {
    const { id, dest } = await money.created(payer);
    await expire(id);
    expect(refusal(await call(id))).toEqual([409, 'transfer_expired']);
    expect((await money.get(payer, id)).status).toBe('expired');
    await database.query(`update transfers set expires_at = now() + interval '1 minute' where id = $1`, [id]);
    expect(refusal(await money.confirm(payer, id))).toEqual([409, 'transfer_expired']);
    const { rows } = await database.query(
      `select from stored_events where type = 'transfer.expired' and data->>'transfer_id' = $1`,
      [id],
    );
    expect(rows).toHaveLength(1);
    expect(await money.balance(chain, dest)).toBe(0n);
  });

  it('cannot be confirmed once it was cancelled; cancelling again changes nothing', async () => {
    const { id, dest } = await money.created(payer);
    const cancelled = await cancel(id);
    expect(cancelled.body).toMatchObject({ status: 'cancelled', blockchain_tx_hash: '' });
    expect(cancelled.body.cancelled_at).toBeGreaterThan(0);
    expect(refusal(await money.confirm(payer, id))).toEqual([409, 'transfer_cancelled']);
    expect((await cancel(id)).body).toEqual(cancelled.body);
    expect(await money.balance(chain, dest)).toBe(0n);
    expect(await eventsOf(payer, id)).toEqual(['transfer.unconfirmed', 'transfer.cancelled']);
  });

  it('is either confirmed or cancelled when both are asked for at once', async () => {
    const { id, dest } = await money.created(payer, { source_amount: '0.1' });
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? money.confirm(payer, id) : cancel(id))),
    );
    const { status } = await money.become(
      payer,
      id,
      answers.some(({ body }) => body.status === 'cancelled') ? 'cancelled' : 'completed',
    );
    expect(await money.balance(chain, dest)).toBe(status === 'completed' ? units(chain, '0.1') : 0n);
  });

  it('cannot be cancelled once it was confirmed', async () => {
    const { id } = await money.created(payer);
    await money.confirm(payer, id);
    expect(refusal(await cancel(id))).toEqual([409, 'transfer_already_confirmed']);
  });

  function cancel(id: string): Promise<Answer> {
    return money.app.call('POST', `/v1/transfers/${id}/cancel`, { key: payer.app.secretKey });
  }

  it('is refused for another than the owner of the source', async () => {
    const { user_id } = await money.app.given.user(payer.app);
    expect(refusal(await money.create(payer, { user_id }))).toEqual([403, 'wallet_not_owned_by_user']);
    const created = await money.created(payer, { user_id: payer.userId });
    expect(refusal(await money.confirm(payer, created.id, { user_id }))).toEqual([403, 'wallet_not_owned_by_user']);
    expect(await money.get(payer, created.id)).toEqual(created);
  });

  it('is refused from a wallet whose key is not held here', async () => {
    const readOnly = await money.payer(chain);
    const created = await money.created(readOnly);
    await database.query(`update wallets set is_read_only = true, sealed_key = null where id = $1`, [
      readOnly.walletId,
    ]);
    await signRows(money.app, 'wallets');
    expect(refusal(await money.create(readOnly))).toEqual([409, 'wallet_read_only']);
    expect(refusal(await money.confirm(readOnly, created.id))).toEqual([409, 'wallet_read_only']);
    expect(await money.get(readOnly, created.id)).toEqual(created);
  });

  it('signs nothing with a key that was tampered with or is another wallet’s', async () => {
    const [victim, thief] = [await money.payer(chain), await money.payer(chain)];
    const created = await money.created(victim);
    const keyOf = async ({ walletId }: Payer) =>
      (await database.query<{ key: Buffer }>(`select sealed_key as key from wallets where id = $1`, [walletId]))
        .rows[0]!.key;
    const setKey = (key: Buffer) =>
      database.query(`update wallets set sealed_key = $2 where id = $1`, [victim.walletId, key]);
    const key = await keyOf(victim);
    const flipped = Buffer.from(key);
    flipped[flipped.length - 1]! ^= 1;
    for (const wrong of [flipped, key.subarray(0, -12), await keyOf(thief)]) {
      await setKey(wrong);
      expect((await money.confirm(victim, created.id)).status).toBe(503);
      expect(await money.get(victim, created.id)).toEqual(created);
    }
    expect(await money.balance(chain, created.dest)).toBe(0n);
    await setKey(key);
    expect((await money.confirm(victim, created.id)).body.status).toBe('completed');
  });

  it('changes nothing while the node is unavailable, and the response says when to retry', async () => {
    const created = await money.created(payer);
    money.proxies[chain].fault = () => 'unavailable';
    for (const answer of [await money.create(payer), await money.confirm(payer, created.id), await balance(payer)]) {
      expect(refusal(answer)).toEqual([503, 'chain_unavailable']);
      expect(answer.headers.get('retry-after')).toBe('5');
    }
    expect(await money.get(payer, created.id)).toEqual(created);
  });

  function balance({ app, walletId }: Payer, token_symbol: string = chain): Promise<Answer> {
    return money.app.call('POST', '/v1/wallets/balance', {
      key: app.secretKey,
      body: { wallet_id: walletId, token_symbol },
    });
  }

  it('shows what a wallet holds', async () => {
    const { body } = await balance(await money.payer(chain, 3n));
    expect(body).toMatchObject({
      balance: '3',
      token_symbol: chain === 'ethereum' ? 'ETH' : 'SOL',
      wallet: { wallet_type: chain },
    });
    expect(refusal(await balance(payer, 'DOGE'))).toEqual([400, 'unsupported_currency']);
    expect(refusal(await balance({ ...payer, walletId: newId('wallet') }))).toEqual([404, 'wallet_not_found']);
  });

  it('keeps its user and its app for as long as it is pending', async () => {
    const held = await money.payer(chain);
    const { id } = await money.created(held);
    const sends = ['eth_sendRawTransaction', 'sendTransaction'];
    money.proxies[chain].fault = (method) => (sends.includes(method) ? 'request_lost' : null);
    const impatient = await money.replica({ TRANSFER_CONFIRM_WAIT_SECONDS: '0', ROLE: 'api' });
    await money.confirm(held, id, {}, impatient);
    await impatient.stop();
    const deleteUser = () =>
      money.app.call('DELETE', `/v1/auth/users/${held.userId}/delete`, { key: held.app.secretKey });
    const deleteApp = () => money.app.call('DELETE', `/management/v1/apps/${held.app.id}`, { key: MANAGEMENT_KEY });
    expect(refusal(await deleteUser())).toEqual([409, 'user_in_use']);
    expect(refusal(await deleteApp())).toEqual([409, 'app_in_use']);
    money.proxies[chain].fault = () => null;
    await money.become(held, id, 'completed');
    expect((await deleteUser()).status).toBe(200);
    expect((await deleteApp()).status).toBe(200);
  });

  it.each([
    '0',
    '0.0',
    '-1',
    '+1',
    '1.',
    '.5',
    '01',
    '1e3',
    ' 1',
    '1,5',
    '0x1',
    'NaN',
    '1'.repeat(61),
    `0.${'0'.repeat(DECIMALS[chain])}1`,
    (2n ** 256n).toString(),
    '',
  ])('refuses the amount "%s"', async (source_amount) => {
    const answer = await money.create(payer, { source_amount });
    expect(answer.status).toBe(400);
    expect(answer.body.errors[0].field).toBe('source_amount');
  });

  it.each(
    chain === 'ethereum'
      ? [
          '0x52908400098527886E0F7030069857D2E4169Ee7',
          '52908400098527886E0F7030069857D2E4169EE7',
          'XE7338O073KYGTWWZN0F2WZ0R8PX5ZPPZS',
          '0x00',
          'ann.eth',
        ]
      : [
          '0x52908400098527886E0F7030069857D2E4169EE7',
          '1',
          '0OIl',
          'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DAx',
          `${'1'.repeat(44)}2`,
        ],
  )('refuses the destination %s', async (dest) => {
    expect(refusal(await money.create(payer, { dest }))).toEqual([400, 'invalid_address']);
  });

  it('refuses currencies the wallet cannot pay in, and exchange', async () => {
    const other = chain === 'ethereum' ? 'solana' : 'ethereum';
    for (const fields of [
      { source_currency: 'doge', dest_currency: 'doge' },
      { source_currency: other, dest_currency: other },
      { source_currency: chain, dest_currency: other },
    ]) {
      expect(refusal(await money.create(payer, fields))).toEqual([400, 'unsupported_currency']);
    }
    const symbol = chain === 'ethereum' ? 'ETH' : 'SOL';
    const { body } = await money.create(payer, { source_currency: symbol, dest_currency: undefined });
    expect([body.source_currency, body.dest_currency]).toEqual([chain, chain]);
  });

  it('is listed, newest first, by user and by wallet', async () => {
    const one = await money.payer(chain, 5n);
    const other = await money.payer(chain, 5n, one.app);
    const ids: string[] = [];
    for (let i = 0; i < 12; i++) ids.unshift((await money.created(i % 6 === 5 ? other : one)).id);
    const list = async (query: Record<string, string>) =>
      (await money.app.call('GET', '/v1/transfers/list', { key: one.app.secretKey, query })).body;
    const idsOf = ({ transfers }: { transfers: { id: string }[] }) => transfers.map(({ id }) => id);
    const all = await list({});
    expect([idsOf(all), all.count, all.limit, all.offset]).toEqual([ids, 12, 50, 0]);
    const page = await list({ limit: '10', offset: '10' });
    expect([idsOf(page), page.count]).toEqual([ids.slice(10), 12]);
    expect((await list({ user_id: other.userId })).count).toBe(2);
    expect((await list({ source: other.walletId })).count).toBe(2);
    expect((await list({ source: other.walletId, user_id: one.userId })).count).toBe(0);
    for (const limit of ['9', '101']) {
      const answer = await money.app.call('GET', '/v1/transfers/list', { key: one.app.secretKey, query: { limit } });
      expect(answer.status).toBe(400);
    }
  });

  it('is not visible to another app', async () => {
    const stranger = await money.payer(chain);
    const { id } = await money.created(payer);
    for (const [method, path] of [
      ['GET', `/v1/transfers/${id}`],
      ['POST', `/v1/transfers/${id}/confirm`],
      ['POST', `/v1/transfers/${id}/cancel`],
    ] as const) {
      const answer = await money.app.call(method, path, {
        key: stranger.app.secretKey,
        ...(method === 'POST' && { body: {} }),
      });
      expect(refusal(answer)).toEqual([404, 'transfer_not_found']);
    }
    expect(refusal(await money.create({ ...stranger, walletId: payer.walletId }))).toEqual([404, 'wallet_not_found']);
  });
});

describe.each(CHAINS)('a token on %s', (chain) => {
  let payer: Payer;
  let token: string;
  beforeAll(async () => {
    payer = await money.payer(chain);
    if (chain === 'ethereum') token = await money.anvil.deployToken(payer.address, 1_000_000_000n);
    else {
      token = money.solana.createMint(6);
      await money.solana.fundToken(token, payer.address, 1_000_000_000n);
    }
    const { status, text } = await set({ assets: [{ chain, name: 'usd-coin', symbol: 'USDC', decimals: 6, token }] });
    if (status !== 200) throw new Error(`The app did not take its assets: ${text}`);
  });

  function set(body: Record<string, unknown>): Promise<Answer> {
    return money.app.call('PATCH', `/management/v1/apps/${payer.app.id}`, { key: MANAGEMENT_KEY, body });
  }

  function held(owner: string): Promise<bigint> {
    if (chain === 'solana') return money.solana.tokenBalance(token, owner);
    const data = `0x70a08231${owner.slice(2).padStart(64, '0')}`; // balanceOf(address)
    return money.anvil.call<string>('eth_call', { to: token, data }, 'latest').then(BigInt);
  }

  it('of the app’s list is paid by name or symbol, the fees in the chain’s coin', async () => {
    const fields = { source_currency: 'USDC', dest_currency: 'usd-coin', source_amount: '12.5' };
    const created = await money.created(payer, fields);
    expect(created).toMatchObject({ source_amount: '12.5', dest_amount: '12.5', source_currency: 'usd-coin' });
    expect(Number(created.total_fees)).toBeGreaterThan(0);
    const { body } = await money.confirm(payer, created.id);
    expect(body.status).toBe('completed');
    expect(await held(created.dest)).toBe(12_500_000n);
    expect(await held(payer.address)).toBe(987_500_000n);
    const balance = await money.app.call('POST', '/v1/wallets/balance', {
      key: payer.app.secretKey,
      body: { wallet_id: payer.walletId, token_symbol: 'USDC' },
    });
    expect(balance.body.balance).toBe('987.5');
    expect(refusal(await money.create(payer, { ...fields, source_amount: '987.500001' }))).toEqual([
      409,
      'insufficient_funds',
    ]);
    expect(refusal(await money.create(payer, { ...fields, source_amount: '0.0000001' }))).toEqual([
      400,
      'invalid_amount',
    ]);
  });

  it('is bounded under every name it is listed under, also under one it got after the quote', async () => {
    const [coin, dollar] = [
      { chain, name: 'usd-coin', symbol: 'USDC', decimals: 6, token },
      { chain, name: 'dollar', symbol: 'USD', decimals: 6, token },
    ];
    const bounds = { max_amounts: [{ currency: 'USD', max_amount: '1' }] };
    const fields = { source_currency: 'USDC', dest_currency: 'USDC', source_amount: '1.000001' };
    const { id } = await money.created(payer, fields);
    const refused = [403, 'transfer_limit_exceeded'];
    expect((await set({ assets: [coin, dollar], transfer_policy: bounds })).status).toBe(200);
    expect(refusal(await money.create(payer, fields))).toEqual(refused);
    expect((await set({ assets: [dollar] })).status).toBe(200);
    expect(refusal(await money.confirm(payer, id))).toEqual(refused);
    expect((await set({ assets: [coin], transfer_policy: null })).status).toBe(200);
    expect((await money.confirm(payer, id)).body.status).toBe('completed');
  });

  it('is unknown to other apps', async () => {
    const other = await money.payer(chain);
    expect(refusal(await money.create(other, { source_currency: 'USDC', dest_currency: 'USDC' }))).toEqual([
      400,
      'unsupported_currency',
    ]);
  });

  it.each([
    [[{ chain, name: 'ethereum', symbol: 'E', decimals: 6 }]],
    [[{ chain, name: 'x', symbol: 'SOL', decimals: 6 }]],
    [
      [
        { chain, name: 'one', symbol: 'X', decimals: 6 },
        { chain, name: 'two', symbol: 'X', decimals: 6 },
      ],
    ],
    [[{ chain, name: 'x', symbol: 'X', decimals: 6, token: '0x52908400098527886E0F7030069857D2E4169Ee7' }]],
    [[{ chain, name: 'x', symbol: 'X', decimals: 6, token: '11111' }]],
  ])('is not taken into the list when the name or the address is not clear: %j', async (assets) => {
    const answer = await set({ assets: assets.map((asset) => ({ token, ...asset })) });
    expect(refusal(answer)).toEqual([400, 'invalid_asset']);
  });
});

describe.each(CHAINS)('the policy of an app on %s', (chain) => {
  it('bounds destinations and amounts when a transfer is created and when it is confirmed', async () => {
    const payer = await money.payer(chain);
    const set = async (transfer_policy: Record<string, unknown>) => {
      const { status, body } = await money.app.call('PATCH', `/management/v1/apps/${payer.app.id}`, {
        key: MANAGEMENT_KEY,
        body: { transfer_policy },
      });
      expect(status).toBe(200);
      return body.transfer_policy;
    };
    const dest = newAddress(chain);
    const [early, large] = [await money.created(payer), await money.created(payer, { dest, source_amount: '0.6' })];
    expect(await set({ allowed_destinations: [dest], max_amounts: [{ currency: chain, max_amount: '0.5' }] })).toEqual({
      allowed_destinations: [dest],
      max_amounts: [{ currency: chain, max_amount: '0.5' }],
      max_fees: [],
    });
    expect(refusal(await money.create(payer))).toEqual([403, 'destination_not_allowed']);
    expect(refusal(await money.create(payer, { dest, source_amount: '0.500000001' }))).toEqual([
      403,
      'transfer_limit_exceeded',
    ]);
    expect(refusal(await money.confirm(payer, early.id))).toEqual([403, 'destination_not_allowed']);
    expect(refusal(await money.confirm(payer, large.id))).toEqual([403, 'transfer_limit_exceeded']);
    expect(await money.get(payer, early.id)).toEqual(early);
    const { id } = await money.created(payer, { dest });
    expect((await money.confirm(payer, id)).body.status).toBe('completed');
    expect(await set({ allowed_destinations: null, max_amounts: null })).toEqual({
      allowed_destinations: null,
      max_amounts: [],
      max_fees: [],
    });
    expect((await money.confirm(payer, early.id)).body.status).toBe('completed');
  });
});

describe('a transfer on solana', () => {
  it('leaves every account with what its rent wants, or empty', async () => {
    const payer = await money.payer('solana', 1n);
    expect(refusal(await money.create(payer, { source_amount: '0.0001' }))).toEqual([409, 'below_rent_minimum']);
    expect(refusal(await money.create(payer, { source_amount: '0.9995' }))).toEqual([409, 'below_rent_minimum']);
    const { id } = await money.created(payer, { source_amount: '1', amount_includes_fees: true });
    expect((await money.confirm(payer, id)).body.status).toBe('completed');
    expect(await money.balance('solana', payer.address)).toBe(0n);
  });
});

describe('a transaction that the caller sends', () => {
  it('is not signed for the service’s own chain while the service itself is sending from the wallet', async () => {
    const payer = await money.payer('ethereum');
    const sign = (chainId: number) =>
      money.app.call('POST', `/v1/wallets/${payer.walletId}/sign_transaction`, {
        key: payer.app.secretKey,
        body: {
          eth_transaction: {
            to: newAddress('ethereum'),
            value: '1',
            nonce: 0,
            gas: 21_000,
            maxFeePerGas: 1,
            maxPriorityFeePerGas: 1,
            chainId,
          },
        },
      });
    expect((await sign(31_337)).status).toBe(200);
    const { id } = await money.created(payer);
    money.proxies.ethereum.fault = (method) => (method === 'eth_sendRawTransaction' ? 'request_lost' : null);
    const impatient = await money.replica({ TRANSFER_CONFIRM_WAIT_SECONDS: '0', ROLE: 'api' });
    await money.confirm(payer, id, {}, impatient);
    await impatient.stop();
    expect(refusal(await sign(31_337))).toEqual([409, 'wallet_has_open_transfers']);
    money.proxies.ethereum.fault = () => null;
    await money.become(payer, id, 'completed');
    expect((await sign(31_337)).status).toBe(200);
  });

  it('that was sent elsewhere does not jam the next transfer', async () => {
    const payer = await money.payer('ethereum');
    const { maxFeePerGas, maxPriorityFeePerGas } = await money.anvil.provider.getFeeData();
    const { body } = await money.app.call('POST', `/v1/wallets/${payer.walletId}/sign_transaction`, {
      key: payer.app.secretKey,
      body: {
        eth_transaction: {
          to: newAddress('ethereum'),
          value: parseEther('0.1').toString(),
          nonce: 0,
          gas: 21_000,
          maxFeePerGas: maxFeePerGas!.toString(),
          maxPriorityFeePerGas: maxPriorityFeePerGas!.toString(),
          chainId: 31_337,
        },
      },
    });
    await money.anvil.call('eth_sendRawTransaction', body.signed_transaction);
    const { id } = await money.created(payer);
    const confirmed = await money.confirm(payer, id);
    expect(confirmed.body.status).toBe('completed');
    expect(confirmed.body.attempts[0].nonce).toBe(1);
  });
});
