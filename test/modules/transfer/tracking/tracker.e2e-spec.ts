import type { WalletType } from '../../../../src/kernel/chain/chain-name.js';
import { parseEther } from 'ethers';
import { Client } from 'pg';
import type { AppId, TransferId } from '../../../../src/kernel/ids.js';
import { Transactions } from '../../../../src/kernel/transactions.js';
import { BeginNetworkAnew } from '../../../../src/modules/transfer/deposits/application/begin-network-anew.js';
import { TrackTransfer } from '../../../../src/modules/transfer/tracking/application/track-transfer.js';
import { TrackingRepository } from '../../../../src/modules/transfer/tracking/domain/tracking.repository.js';
import { Database } from '../../../../src/postgres/database.js';
import { type Answer, MANAGEMENT_KEY, type TestApp } from '../../../support/app.js';
import { Replica } from '../../../chaos/replica.js';
import { Anvil } from '../../../support/anvil.js';
import { eventually, patiently } from '../../../support/eventually.js';
import { ETH, Money, newAddress, type Payer } from '../../../support/money.js';
import { signRows } from '../../../support/row-macs.js';

const SENDS = ['eth_sendRawTransaction', 'sendTransaction'];
/** Blocks on top that make an Ethereum block final. */
const FINALITY_DEPTH = 3;
const GWEI = 10n ** 9n;
/** Another chain that begins then has the same first block. */
const FIRST_BLOCK_AT = 1_700_000_000;

// Blocks come only when a test makes them, so that every stage can be looked at.
let money: Money;
let database: Client;

beforeAll(async () => {
  money = await Money.start({
    ethereum: { blockTime: 'never', timestamp: FIRST_BLOCK_AT },
    solana: { slotMs: undefined, finalizedAfter: 8 },
    env: {
      ETHEREUM_FINALITY_DEPTH: String(FINALITY_DEPTH),
      TRANSFER_CONFIRM_WAIT_SECONDS: '0',
      TRANSFER_BUMP_AFTER_SECONDS: '60',
      TRANSFER_STUCK_AFTER_SECONDS: '600',
    },
  });
  database = new Client({ connectionString: money.app.databaseUrl });
  await database.connect();
  await money.anvil.mine(FINALITY_DEPTH + 1);
});
afterAll(async () => {
  await database.end();
  await money.stop();
});
afterEach(async () => {
  for (const proxy of Object.values(money.proxies)) proxy.fault = () => null;
  money.solana.fate = () => 'land';
  await money.anvil.mine(FINALITY_DEPTH + 20);
});

/** One whole look at a transfer, as the tracker takes it. */
async function track(payer: Payer, id: string): Promise<void> {
  await money.app.nest.get(TrackTransfer, { strict: false }).execute(payer.app.id as AppId, id as TransferId);
}

/** Makes everything about a transfer this much older. */
async function age(id: string, seconds: number): Promise<void> {
  await database.query(
    `update transfers set confirmed_at = ((confirmed_at at time zone 'UTC') - make_interval(secs => $2)) at time zone 'UTC', next_check_at = now() where id = $1`,
    [id, seconds],
  );
  await database.query(
    `update transfer_attempts set created_at = ((created_at at time zone 'UTC') - make_interval(secs => $2)) at time zone 'UTC' where transfer_id = $1`,
    [id, seconds],
  );
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests reach into answers as clients do
async function when(payer: Payer, id: string, is: (transfer: any) => boolean): Promise<any> {
  return eventually(async () => {
    await money.look();
    const transfer = await money.get(payer, id);
    if (!is(transfer)) throw new Error(`The transfer is ${JSON.stringify(transfer)}`);
    return transfer;
  });
}

async function confirmed(payer: Payer, fields: Record<string, unknown> = {}): Promise<{ id: string; dest: string }> {
  const { id, dest } = await money.created(payer, fields);
  const { status, text } = await money.confirm(payer, id);
  if (status !== 200) throw new Error(text);
  return { id, dest };
}

/** As if its key had been exported: otherwise an unknown nonce means that the database has lost a payment. */
async function usedElsewhere(payer: Payer): Promise<Payer> {
  await database.query(`update wallets set key_left_at = now() where id = $1`, [payer.walletId]);
  return payer;
}

/** The transfer after one look at it. The tracker may look at other transfers meanwhile. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- as above
async function lookedAt(payer: Payer, id: string): Promise<any> {
  await money.app.nest.get(TrackTransfer, { strict: false }).execute(payer.app.id as AppId, id as TransferId);
  return money.get(payer, id);
}

async function countEvents(type: string, id: string): Promise<number> {
  const { rows } = await database.query(`select from stored_events where type = $1 and data->>'transfer_id' = $2`, [
    type,
    id,
  ]);
  return rows.length;
}

describe('a pending transfer on ethereum', () => {
  it('goes back to submitted when a reorganisation drops its block, is rebroadcast, and completes at finality', async () => {
    const payer = await money.payer('ethereum');
    const { id, dest } = await confirmed(payer);
    await when(payer, id, ({ stage }) => stage === 'submitted');
    await money.anvil.mine();
    await when(payer, id, ({ stage }) => stage === 'mined');
    await money.anvil.reorganise(1);
    const reorganised = await when(payer, id, ({ stage }) => stage === 'submitted');
    expect(reorganised).toMatchObject({ status: 'pending', completed_at: 0 });
    expect(await money.balance('ethereum', dest)).toBe(0n);
    await eventually(async () => {
      await money.look();
      await money.anvil.mine();
      expect(await money.balance('ethereum', dest)).toBe(ETH / 2n);
    });
    await when(payer, id, ({ stage }) => stage === 'mined');
    await money.anvil.mine(FINALITY_DEPTH);
    const completed = await when(payer, id, ({ status }) => status === 'completed');
    expect(completed.attempts).toHaveLength(1);
    expect(await countEvents('transfer.completed', id)).toBe(1);
  });

  it('is signed anew with the same nonce and higher fees when it is not mined for long, within the quote, and paid once', async () => {
    const payer = await money.payer('ethereum');
    const { id, dest } = await confirmed(payer);
    await when(payer, id, ({ stage }) => stage === 'submitted');
    for (let bumps = 1; bumps <= 3; bumps++) {
      await age(id, 61);
      await when(payer, id, ({ attempts }) => attempts.length === bumps + 1);
    }
    const { attempts, total_fees } = await money.get(payer, id);
    expect(new Set(attempts.map(({ nonce }: { nonce: number }) => nonce)).size).toBe(1);
    const fees = attempts.map(({ max_fee }: { max_fee: string }) => Number(max_fee));
    for (let i = 1; i < fees.length; i++) expect(fees[i]! / fees[i - 1]!).toBeGreaterThan(1.124);
    expect(fees.at(-1)).toBeLessThanOrEqual(Number(total_fees));
    // As dear as the quote allows, it only waits.
    for (let round = 0; round < 6; round++) {
      await age(id, 61);
      await track(payer, id);
    }
    const last = await money.get(payer, id);
    for (const { max_fee } of last.attempts) expect(Number(max_fee)).toBeLessThanOrEqual(Number(total_fees));
    await money.anvil.mine(FINALITY_DEPTH + 1);
    await when(payer, id, ({ status }) => status === 'completed');
    expect(await money.balance('ethereum', dest)).toBe(ETH / 2n);
    expect(await money.anvil.provider.getTransactionCount(payer.address)).toBe(1);
  });

  it('fails, safe to repeat, only once the chain proves that its nonce was used elsewhere', async () => {
    const payer = await money.payer('ethereum');
    const { id, dest, usedBy } = await withNonceUsedElsewhere(payer);
    expect((await lookedAt(payer, id)).status).toBe('pending');
    await money.anvil.mine(FINALITY_DEPTH);
    const failed = await when(payer, id, ({ status }) => status === 'failed');
    expect(failed.failure).toEqual({ code: 'nonce_used_elsewhere', retry_safe: true, used_by: usedBy });
    expect(failed.total_fees).toBe('0');
    expect(await money.balance('ethereum', dest)).toBe(0n);
  });

  it('fails, not safe to repeat, when the transaction that used its nonce made the same payment', async () => {
    const payer = await money.payer('ethereum');
    const same = (dest: string) => ({ to: dest, value: `0x${(ETH / 2n).toString(16)}` });
    const { id, dest, usedBy } = await withNonceUsedElsewhere(payer, same);
    await money.anvil.mine(FINALITY_DEPTH);
    const failed = await when(payer, id, ({ status }) => status === 'failed');
    expect(failed.failure).toEqual({ code: 'paid_elsewhere', retry_safe: false, used_by: usedBy });
    expect(await money.balance('ethereum', dest)).toBe(ETH / 2n);
  });

  it('fails, not safe to repeat, when code of the account used its nonce, and blocks nothing afterwards', async () => {
    const payer = await money.payer('ethereum');
    const { id, dest } = await unsent(payer, async () => {
      // Code that creates a contract when the account is called, as an authorisation (EIP-7702) sets it.
      const code = newAddress('ethereum');
      await money.anvil.call('anvil_setCode', code, '0x600060006000f05000');
      await money.anvil.call('anvil_setCode', payer.address, `0xef0100${code.slice(2)}`);
      const from = money.anvil.rich().address;
      await money.anvil.call('eth_sendTransaction', { from, to: payer.address, gas: '0x30d40' });
      await money.anvil.mine();
      expect(await money.anvil.provider.getTransactionCount(payer.address)).toBe(1);
    });
    await database.query(`update transfers set stuck_since = now(), stuck_reason = 'nodes_disagree' where id = $1`, [
      id,
    ]);
    const refused = await cancel(payer, id);
    expect([refused.status, refused.body.error_type]).toEqual([409, 'nonce_used']);
    expect((await money.get(payer, id)).attempts).toHaveLength(1);
    await money.anvil.mine(FINALITY_DEPTH);
    const failed = await when(payer, id, ({ status }) => status === 'failed');
    expect(failed.failure).toEqual({ code: 'nonce_used_elsewhere', retry_safe: false, used_by: '' });
    expect(await money.balance('ethereum', dest)).toBe(0n);
    const deleted = await money.app.call('DELETE', `/v1/auth/users/${payer.userId}/delete`, {
      key: payer.app.secretKey,
    });
    expect(deleted.status).toBe(200);
  });

  /** A payment that has never reached the node, and what happens on the chain before the tracker sees it. */
  async function unsent(
    payer: Payer,
    meanwhile: (dest: string) => Promise<void>,
  ): Promise<{ id: string; dest: string }> {
    let transfer: { id: string; dest: string };
    // The tracker would send it again.
    await money.withoutTracker(async () => {
      money.proxies.ethereum.fault = (method) => (SENDS.includes(method) ? 'request_lost' : null);
      transfer = await confirmed(payer);
      money.proxies.ethereum.fault = () => null;
      await meanwhile(transfer.dest);
    });
    return transfer!;
  }

  /** In a block is a transaction made elsewhere that used its nonce. */
  async function withNonceUsedElsewhere(
    payer: Payer,
    made: (dest: string) => { to: string; value: string } = () => ({ to: newAddress('ethereum'), value: '0x1' }),
  ): Promise<{ id: string; dest: string; usedBy: string }> {
    let usedBy = '';
    const transfer = await unsent(payer, async (dest) => {
      await money.anvil.call('anvil_impersonateAccount', payer.address);
      usedBy = await money.anvil.call<string>('eth_sendTransaction', { from: payer.address, ...made(dest) });
      await money.anvil.mine();
    });
    return { ...transfer, usedBy };
  }

  it('stays pending while the node has lost its receipt, is marked stuck for that, and completes after a receipt exists', async () => {
    const payer = await money.payer('ethereum');
    const { id, dest } = await confirmed(payer);
    money.proxies.ethereum.answer = (method) => (method === 'eth_getTransactionReceipt' ? null : undefined);
    try {
      await money.anvil.mine(FINALITY_DEPTH + 1);
      await when(payer, id, ({ stage }) => stage === 'mined');
      await age(id, 601);
      const stuck = await when(payer, id, ({ stuck_since }) => stuck_since > 0);
      expect(stuck).toMatchObject({ status: 'pending', stuck_reason: 'node_lacks_history', failure: null });
      const { rows } = await database.query(
        `select data->>'stuck_reason' as reason from stored_events where type = 'transfer.stuck' and data->>'transfer_id' = $1`,
        [id],
      );
      expect(rows).toEqual([{ reason: 'node_lacks_history' }]);
      expect(stuck.attempts).toHaveLength(1);
      const text = await money.app.metrics();
      expect(text).toMatch(/^transfers_stuck\{reason="node_lacks_history"\} [1-9]/m);
      expect(text).toMatch(/^transfers_pending\{stage="mined"\} [1-9]/m);
      expect(Number(/^transfer_oldest_pending_seconds (.*)$/m.exec(text)?.[1])).toBeGreaterThan(600);
    } finally {
      money.proxies.ethereum.answer = () => undefined;
    }
    const completed = await when(payer, id, ({ status }) => status === 'completed');
    expect(completed).toMatchObject({ stuck_since: 0, stuck_reason: '' });
    expect(await money.balance('ethereum', dest)).toBe(ETH / 2n);
    expect((await money.app.call('GET', '/metrics')).text).toMatch(/^transfers_total\{state="completed"\} [1-9]/m);
  });

  it('is proven final in several looks when many blocks have passed, each of which goes on from what is stored', async () => {
    const payer = await money.payer('ethereum');
    const { id } = await confirmed(payer);
    // No look before the last block finds a short proof.
    await money.withoutTracker(() => money.anvil.mine(300));
    await when(payer, id, ({ status }) => status === 'completed');
    const { rows } = await database.query(`select proof_progress from transfers where id = $1`, [id]);
    expect(rows).toMatchObject([{ proof_progress: { links: [{ top: {}, next: {} }] } }]);
  });

  it('waits in a full sender queue and is paid when a place is free', async () => {
    const payer = await money.payer('ethereum', 100n);
    const transfers: { id: string; dest: string }[] = [];
    for (let i = 0; i < 18; i++) transfers.push(await confirmed(payer, { source_amount: '0.1' }));
    const stages = await Promise.all(transfers.map(async ({ id }) => (await money.get(payer, id)).stage));
    expect(stages.filter((stage) => stage === 'queued')).toHaveLength(2);
    await eventually(async () => {
      await money.look();
      await money.anvil.mine();
      const statuses = await Promise.all(transfers.map(async ({ id }) => (await money.get(payer, id)).status));
      expect(statuses).toEqual(transfers.map(() => 'completed'));
    });
    for (const { dest } of transfers) expect(await money.balance('ethereum', dest)).toBe(ETH / 10n);
    expect(await money.anvil.provider.getTransactionCount(payer.address)).toBe(18);
  });

  it('keeps its place in the queue while the payments before it are not recorded yet', async () => {
    const payer = await money.payer('ethereum', 100n);
    const transfers: { id: string; dest: string }[] = [];
    for (let i = 0; i < 17; i++) transfers.push(await confirmed(payer, { source_amount: '5.8' }));
    const last = transfers.at(-1)!;
    expect((await money.get(payer, last.id)).stage).toBe('queued');
    await money.withoutTracker(async () => {
      await money.anvil.mine();
      // The wallet's balance has fallen, and the other transfers are still reserved: together more than the balance.
      await track(payer, last.id);
      expect(await money.get(payer, last.id)).toMatchObject({ status: 'pending', stage: 'queued' });
    });
    await eventually(async () => {
      await money.look();
      await money.anvil.mine();
      expect((await money.get(payer, last.id)).status).toBe('completed');
    });
    expect(await money.balance('ethereum', last.dest)).toBe((58n * ETH) / 10n);
  });

  it('leaves the queue as failed when the balance is short and no transfer is before it', async () => {
    const payer = await money.payer('ethereum', 100n);
    const { id } = await confirmed(payer, { source_amount: '50' });
    await database.query(
      `with forgotten as (delete from transfer_attempts where transfer_id = $1)
       update transfers set stage = 'queued', hash = null where id = $1`,
      [id],
    );
    await signRows(money.app, 'transfers');
    await money.anvil.fund(payer.address, ETH);
    const failed = await when(payer, id, ({ status }) => status === 'failed');
    expect(failed.failure).toMatchObject({ code: 'insufficient_funds', retry_safe: true });
  });

  it('is not replaced when the chain already counts its nonce', async () => {
    const payer = await money.payer('ethereum');
    const { id } = await confirmed(payer);
    await age(id, 61);
    const proxy = money.proxies.ethereum;
    let asked = 0;
    let before = '';
    // As if a block came after the payment was seen waiting. The counts that a nonce is chosen by are read with the network.
    proxy.answer = (method, [address]) => {
      const isOfCounts = ['eth_chainId', 'counts'].includes(before) && method === 'eth_getTransactionCount';
      before = isOfCounts ? 'counts' : method;
      if (!isOfCounts || String(address).toLowerCase() !== payer.address.toLowerCase()) return;
      asked += 1;
      return '0x1';
    };
    try {
      await track(payer, id);
      expect(asked).toBeGreaterThan(0);
      expect((await money.get(payer, id)).attempts).toHaveLength(1);
    } finally {
      proxy.answer = () => undefined;
    }
    await eventually(async () => {
      await money.look();
      await money.anvil.mine();
      expect((await money.get(payer, id)).status).toBe('completed');
    });
  });

  it('does not wait for an unused nonce: a zero-value self-transfer fills it', async () => {
    const payer = await usedElsewhere(await money.payer('ethereum'));
    // Made elsewhere and waiting in the node, which then forgets it.
    await money.anvil.call('anvil_impersonateAccount', payer.address);
    const foreign = await money.anvil.call<string>('eth_sendTransaction', {
      from: payer.address,
      to: newAddress('ethereum'),
      value: '0x1',
    });
    const { id, dest } = await confirmed(payer);
    expect((await money.get(payer, id)).attempts[0].nonce).toBe(1);
    await money.anvil.call('anvil_dropTransaction', foreign);
    await money.anvil.mine();
    await age(id, 61);
    await eventually(async () => {
      await money.look();
      await money.anvil.mine();
      expect((await money.get(payer, id)).status).toBe('completed');
    });
    expect(await money.balance('ethereum', dest)).toBe(ETH / 2n);
    const { rows } = await database.query(
      `select distinct kind, nonce::int from transfer_attempts where address = $1 order by nonce`,
      [payer.address],
    );
    expect(rows).toEqual([
      { kind: 'cancellation', nonce: 0 },
      { kind: 'payment', nonce: 1 },
    ]);
  });

  it('waits for an unused nonce while the app does not allow the fee of the self-transfer that would fill it', async () => {
    const payer = await usedElsewhere(await money.payer('ethereum'));
    await money.anvil.call('anvil_impersonateAccount', payer.address);
    const to = newAddress('ethereum');
    const foreign = await money.anvil.call<string>('eth_sendTransaction', { from: payer.address, to, value: '0x1' });
    const { id } = await confirmed(payer);
    await money.anvil.call('anvil_dropTransaction', foreign);
    const bound = (max_fees: unknown) =>
      money.app.call('PATCH', `/management/v1/apps/${payer.app.id}`, {
        key: MANAGEMENT_KEY,
        body: { transfer_policy: { max_fees } },
      });
    await bound([{ currency: 'ethereum', max_fee: '0.000000001' }]);
    await eventually(async () => expect((await money.create(payer)).body.error_type).toBe('fee_limit_exceeded'));
    await age(id, 601);
    await eventually(async () => {
      await track(payer, id);
      expect(await money.get(payer, id)).toMatchObject({ status: 'pending', stuck_reason: 'fee_above_ceiling' });
    });
    const { rows } = await database.query(`select kind from transfer_attempts where address = $1`, [payer.address]);
    expect(rows).toEqual([{ kind: 'payment' }]);
    await bound(null);
    await eventually(async () => {
      await money.look();
      await money.anvil.mine();
      expect((await money.get(payer, id)).status).toBe('completed');
    });
  });

  it('is not signed with a nonce far ahead that one answer alone reports, but with one that a second answer supports', async () => {
    const payer = await usedElsewhere(await money.payer('ethereum'));
    const first = await confirmed(payer);
    await money.anvil.mine(FINALITY_DEPTH + 1);
    await when(payer, first.id, ({ status }) => status === 'completed');
    const { id } = await money.created(payer);
    await money.withoutTracker(async () => {
      let lies = 2;
      money.proxies.ethereum.answer = (method) =>
        method === 'eth_getTransactionCount' && lies-- > 0 ? '0x186a0' : undefined;
      const refused = await money.confirm(payer, id);
      expect([refused.status, refused.body.error_type]).toEqual([503, 'chain_unavailable']);
      money.proxies.ethereum.answer = () => undefined;
    });
    expect(await money.get(payer, id)).toMatchObject({ status: 'unconfirmed', attempts: [] });
    expect((await money.confirm(payer, id)).body.attempts).toMatchObject([{ nonce: 1 }]);
    await money.anvil.mine(FINALITY_DEPTH + 1);
    await when(payer, id, ({ status }) => status === 'completed');
    // The owner has used the key elsewhere.
    await money.anvil.call('anvil_setNonce', payer.address, '0x186a0');
    const far = await money.created(payer);
    expect((await money.confirm(payer, far.id)).body.attempts).toMatchObject([{ nonce: 100_000 }]);
    await money.anvil.mine(FINALITY_DEPTH + 1);
    await when(payer, far.id, ({ status }) => status === 'completed');
  });

  it('is stuck, and no fee is spent, behind more missing nonces than nodes keep transactions', async () => {
    const payer = await usedElsewhere(await money.payer('ethereum'));
    money.proxies.ethereum.answer = (method) => (method === 'eth_getTransactionCount' ? '0x41' : undefined);
    const { id } = await confirmed(payer).finally(() => (money.proxies.ethereum.answer = () => undefined));
    expect((await money.get(payer, id)).attempts).toMatchObject([{ nonce: 65 }]);
    await age(id, 601);
    await when(payer, id, ({ stuck_reason }) => stuck_reason === 'nodes_disagree');
    const { rows } = await database.query(`select kind from transfer_attempts where address = $1`, [payer.address]);
    expect(rows).toEqual([{ kind: 'payment' }]);
    // 64 are credible: these the service closes.
    await money.anvil.call('anvil_setNonce', payer.address, '0x1');
    await eventually(async () => {
      await money.look();
      await money.anvil.mine();
      expect((await money.get(payer, id)).status).toBe('completed');
    });
  });

  it('does not wait for a nonce whose zero-value self-transfer has too low fees', async () => {
    const payer = await usedElsewhere(await money.payer('ethereum'));
    await money.anvil.call('anvil_impersonateAccount', payer.address);
    const to = newAddress('ethereum');
    const foreign = await money.anvil.call<string>('eth_sendTransaction', { from: payer.address, to, value: '0x1' });
    const { id } = await confirmed(payer);
    await money.anvil.call('anvil_dropTransaction', foreign);
    await age(id, 61);
    const cancellations = async (): Promise<{ nonce: number; fee: number }[]> => {
      const { rows } = await database.query(
        `select nonce::int, max_fee::float8 as fee from transfer_attempts
          where address = $1 and kind = 'cancellation' order by ordinal`,
        [payer.address],
      );
      return rows;
    };
    await eventually(async () => {
      await money.look();
      expect(await cancellations()).toHaveLength(1);
    });
    await database.query(
      `update transfer_attempts set created_at = ((created_at at time zone 'UTC') - interval '61 seconds') at time zone 'UTC' where address = $1`,
      [payer.address],
    );
    await eventually(async () => {
      await money.look();
      expect(await cancellations()).toHaveLength(2);
    });
    const [first, second] = await cancellations();
    expect(second).toMatchObject({ nonce: 0 });
    expect(second!.fee / first!.fee).toBeGreaterThanOrEqual(1.125);
    await eventually(async () => {
      await money.look();
      await money.anvil.mine();
      expect((await money.get(payer, id)).status).toBe('completed');
    });
  });

  it('is never made after it has failed: not even when the chain frees its nonce again', async () => {
    const payer = await money.payer('ethereum');
    const failed = await withNonceUsedElsewhere(payer);
    await money.anvil.mine(FINALITY_DEPTH);
    await when(payer, failed.id, ({ status }) => status === 'failed');
    const next = await confirmed(payer);
    // Deeper than anything that was taken for final: what used the nonce up is gone, and the next one waits for it.
    await money.anvil.reorganise(FINALITY_DEPTH + 1);
    expect(await money.anvil.provider.getTransactionCount(payer.address)).toBe(0);
    // The nonce before it is filled when its bytes have waited for a minute.
    await when(payer, next.id, ({ stage }) => stage === 'submitted');
    await age(next.id, 61);
    await eventually(async () => {
      await money.look();
      await money.anvil.mine();
      expect((await money.get(payer, next.id)).status).toBe('completed');
    });
    expect(await money.balance('ethereum', failed.dest)).toBe(0n);
    expect(await money.balance('ethereum', next.dest)).toBe(ETH / 2n);
  });

  it('is marked stuck, once, after a long time without progress, and still ends', async () => {
    const payer = await money.payer('ethereum');
    const { id } = await confirmed(payer);
    await age(id, 601);
    const stuck = await when(payer, id, ({ stuck_since }) => stuck_since > 0);
    expect(stuck).toMatchObject({ status: 'pending', stuck_reason: 'not_in_a_block' });
    await money.look();
    await money.anvil.mine(FINALITY_DEPTH + 1);
    const completed = await when(payer, id, ({ status }) => status === 'completed');
    expect(completed.stuck_since).toBe(0);
    expect(await countEvents('transfer.stuck', id)).toBe(1);
  });

  it('that is due for higher fees stays as it is while those are above a ceiling, and says so', async () => {
    const payer = await money.payer('ethereum');
    const { id, dest } = await confirmed(payer);
    await when(payer, id, ({ stage }) => stage === 'submitted');
    money.proxies.ethereum.answer = (method) =>
      method === 'eth_maxPriorityFeePerGas' ? `0x${ETH.toString(16)}` : undefined;
    await age(id, 601);
    const stuck = await when(payer, id, ({ stuck_reason }) => stuck_reason === 'fee_above_ceiling');
    expect([stuck.status, stuck.attempts.length]).toEqual(['pending', 1]);
    money.proxies.ethereum.answer = () => undefined;
    await eventually(async () => {
      await money.look();
      await money.anvil.mine();
      expect((await money.get(payer, id)).status).toBe('completed');
    });
    expect(await money.balance('ethereum', dest)).toBe(ETH / 2n);
  });

  it('is not concluded while the node returns invalid responses', async () => {
    const payer = await money.payer('ethereum');
    const { id } = await confirmed(payer);
    for (const fault of ['html', 'empty', 'misshapen', 'unavailable'] as const) {
      money.proxies.ethereum.fault = () => fault;
      await track(payer, id);
      expect((await money.get(payer, id)).status).toBe('pending');
    }
    money.proxies.ethereum.fault = () => null;
    await eventually(async () => {
      await money.look();
      await money.anvil.mine();
      expect((await money.get(payer, id)).status).toBe('completed');
    });
  });
});

describe('a transfer whose wallet does not open', () => {
  it.each([
    ['signed', 'not_in_a_block', 'replaced_by_cancellation'],
    ['queued', 'waits_in_queue', undefined],
  ])('is marked stuck while it is %s, and can be cancelled', async (stage, reason, failure) => {
    const payer = await money.payer('ethereum');
    const { id } = await money.created(payer);
    const { rows } = await database.query('select sealed_key as seal from wallets where id = $1', [payer.walletId]);
    const { seal } = rows[0] as { seal: Buffer };
    const store = (key: Buffer) =>
      database.query('update wallets set sealed_key = $2 where id = $1', [payer.walletId, key]);
    if (stage === 'signed') {
      expect((await money.confirm(payer, id)).status).toBe(200);
      await store(Buffer.from(seal).fill(0, 40, 56));
    } else {
      await store(Buffer.from(seal).fill(0, 40, 56));
      await database.query(
        `update transfers set status = 'pending', stage = 'queued', confirmed_at = now(), next_check_at = now() where id = $1`,
        [id],
      );
      await signRows(money.app, 'transfers');
    }
    await age(id, 601);
    await expect(track(payer, id)).rejects.toThrow();
    const stuck = await money.get(payer, id);
    expect(stuck).toMatchObject({ status: 'pending', stuck_reason: reason });
    expect(stuck.stuck_since).toBeGreaterThan(0);
    expect(await countEvents('transfer.stuck', id)).toBe(1);
    if (stage === 'signed') await store(seal);
    expect((await cancel(payer, id)).status).toBe(200);
    const ended = await eventually(async () => {
      await money.look();
      await money.anvil.mine();
      const transfer = await money.get(payer, id);
      if (transfer.status === 'pending') throw new Error(`The transfer is ${transfer.stage}.`);
      return transfer;
    });
    expect([ended.status, ended.failure?.code]).toEqual([failure ? 'failed' : 'cancelled', failure]);
  });
});

describe('a pending transfer on solana', () => {
  it('is signed anew only after proof that its blockhash has expired, and paid once', async () => {
    const payer = await money.payer('solana');
    money.solana.fate = () => 'hold';
    const { id, dest } = await confirmed(payer);
    // Expired by time, but not provably: the same bytes are sent again, nothing is signed.
    money.solana.advance(100);
    for (let looks = 0; looks < 5; looks++) await track(payer, id);
    expect((await money.get(payer, id)).attempts).toHaveLength(1);
    money.solana.expireBlockhashes();
    money.solana.fate = () => 'land';
    // An attempt is visible before it is sent: only slots after its arrival make it final.
    await when(payer, id, ({ attempts }) => attempts.length === 2 && attempts[1].accepted_at > 0);
    // What the node has kept is carried out no more.
    money.solana.release();
    money.solana.advance(20);
    const completed = await when(payer, id, ({ status }) => status === 'completed');
    expect(completed.blockchain_tx_hash).toBe(completed.attempts[1].hash);
    expect(await money.balance('solana', dest)).toBe(500_000_000n);
  });

  it('is never signed anew by the word of a node that was restarted from a snapshot without its block', async () => {
    const payer = await money.payer('solana');
    let sent: { id: string; dest: string };
    // The node forgets the block before the tracker has seen it.
    await money.withoutTracker(async () => {
      sent = await confirmed(payer);
      money.solana.restartFromSnapshot(3);
      money.solana.expireBlockhashes();
    });
    const { id, dest } = sent!;
    await age(id, 601);
    const stuck = await when(payer, id, ({ stuck_reason }) => stuck_reason === 'node_lacks_history');
    expect(stuck).toMatchObject({ status: 'pending', attempts: [expect.anything()] });
    money.solana.fillHoles();
    const completed = await when(payer, id, ({ status }) => status === 'completed');
    expect(completed.attempts).toHaveLength(1);
    expect(await money.balance('solana', dest)).toBe(500_000_000n);
  });

  it('fails, safe to repeat, when it has expired and the wallet no longer holds enough', async () => {
    const payer = await money.payer('solana', 1n);
    money.solana.fate = () => 'forget';
    const { id } = await confirmed(payer);
    money.solana.fund(payer.address, -900_000_000n);
    money.solana.expireBlockhashes();
    const failed = await when(payer, id, ({ status }) => status === 'failed');
    expect(failed.failure).toMatchObject({ code: 'insufficient_funds', retry_safe: true });
  });

  it('follows a fork that drops its block, and completes on the other side', async () => {
    const payer = await money.payer('solana');
    const { id, dest } = await confirmed(payer);
    money.solana.advance(2);
    await when(payer, id, ({ stage }) => stage === 'mined');
    money.solana.fork(5);
    expect(await money.balance('solana', dest)).toBe(0n);
    await eventually(async () => {
      await money.look();
      expect(await money.balance('solana', dest)).toBe(500_000_000n);
    });
    money.solana.advance(20);
    const completed = await when(payer, id, ({ status }) => status === 'completed');
    expect(completed.attempts).toHaveLength(1);
  });
});

/**
 * Confirms, and lets the head of the sender queue have too low fees, although they are as high as its quote allows,
 * until it is marked stuck.
 */
async function stuck(payer: Payer, fields: Record<string, unknown> = {}): Promise<{ id: string; dest: string }> {
  const transfer = await confirmed(payer, fields);
  await when(payer, transfer.id, ({ stage }) => stage === 'submitted');
  await priceGas(100n * GWEI);
  await age(transfer.id, 601);
  await when(payer, transfer.id, ({ stuck_since }) => stuck_since > 0);
  return transfer;
}

/** Makes a block, without what offers less, in which gas costs so much; in those after it about as much. */
async function priceGas(wei: bigint): Promise<void> {
  await money.anvil.call('anvil_setNextBlockBaseFeePerGas', `0x${wei.toString(16)}`);
  await money.anvil.mine();
}

function cancel({ app }: Payer, id: string, on = money.app): Promise<Answer> {
  return on.call('POST', `/v1/transfers/${id}/cancel`, { key: app.secretKey });
}

/** The hash, kind and bytes of everything signed for a transfer, in order. */
async function signedFor(id: string): Promise<{ hash: string; kind: string; raw: Buffer }[]> {
  const { rows } = await database.query(
    `select hash, kind, raw from transfer_attempts where transfer_id = $1 order by ordinal`,
    [id],
  );
  return rows;
}

/** From now on nothing that the service sends arrives, nor is anything still on its way. */
function sendNothing(): Promise<void> {
  return money.withoutTracker(async () => {
    money.proxies.ethereum.fault = (method) => (SENDS.includes(method) ? 'request_lost' : null);
  });
}

/** A third party sends stored bytes to the node, without the service. */
async function leak(raw: Buffer): Promise<void> {
  await money.anvil.call('eth_sendRawTransaction', `0x${raw.toString('hex')}`);
}

describe('a stuck transfer that is cancelled on ethereum', () => {
  afterEach(() => priceGas(GWEI / 100n));

  it('is replaced by a cancellation transaction, has failed when that is final, and lets the next transfer pass', async () => {
    const payer = await money.payer('ethereum');
    const { id, dest } = await stuck(payer);
    await priceGas(5n * GWEI);
    const answer = await cancel(payer, id);
    expect([answer.status, answer.body.status]).toEqual([200, 'pending']);
    const next = await confirmed(payer);
    const [paid, ...others] = answer.body.attempts;
    const cancellation = others.at(-1);
    expect(paid.kind).toBe('payment');
    expect(cancellation).toMatchObject({ kind: 'cancellation', nonce: paid.nonce });
    expect(Number(cancellation.max_fee) / Number(others.at(-2)?.max_fee ?? paid.max_fee)).toBeGreaterThan(1.124);
    // Asked for again it is the same.
    expect((await cancel(payer, id)).body.attempts).toHaveLength(answer.body.attempts.length);
    await money.anvil.mine();
    const mined = await when(payer, id, ({ stage }) => stage === 'mined');
    expect([mined.status, mined.blockchain_tx_hash]).toEqual(['pending', cancellation.hash]);
    await money.anvil.mine(FINALITY_DEPTH);
    const failed = await when(payer, id, ({ status }) => status === 'failed');
    expect(failed).toMatchObject({
      failure: { code: 'replaced_by_cancellation', retry_safe: true },
      blockchain_tx_hash: cancellation.hash,
      stuck_since: 0,
    });
    expect(await countEvents('transfer.failed', id)).toBe(1);
    await eventually(async () => {
      await money.look();
      await money.anvil.mine();
      expect((await money.get(payer, next.id)).status).toBe('completed');
    });
    expect(await money.balance('ethereum', dest)).toBe(0n);
    // What it took is the fee of the cancellation, to the last unit.
    const { total_fees } = await money.get(payer, next.id);
    const left = await money.balance('ethereum', payer.address);
    expect(left).toBe(10n * ETH - ETH / 2n - parseEther(failed.total_fees) - parseEther(total_fees));
    expect((await cancel(payer, id)).body.error_type).toBe('transfer_already_confirmed');
  });

  it('is completed when the payment gets into a block first after all', async () => {
    const payer = await money.payer('ethereum');
    const { id, dest } = await stuck(payer);
    await priceGas(5n * GWEI);
    await sendNothing();
    expect((await cancel(payer, id)).status).toBe(200);
    const signed = await signedFor(id);
    expect(signed.at(-1)!.kind).toBe('cancellation');
    await priceGas(GWEI / 100n);
    await leak(signed.at(-2)!.raw);
    await money.anvil.mine();
    money.proxies.ethereum.fault = () => null;
    await money.look();
    await money.anvil.mine(FINALITY_DEPTH);
    const completed = await when(payer, id, ({ status }) => status === 'completed');
    expect(completed.blockchain_tx_hash).toBe(signed.at(-2)!.hash);
    expect(await money.balance('ethereum', dest)).toBe(ETH / 2n);
    expect(await money.anvil.provider.getTransactionCount(payer.address)).toBe(1);
    // And is made again, not cancelled, when the chain takes back what was final.
    const next = await confirmed(payer);
    await money.anvil.reorganise(FINALITY_DEPTH + 1);
    expect(await money.balance('ethereum', dest)).toBe(0n);
    await age(next.id, 61);
    await eventually(async () => {
      await money.look();
      await money.anvil.mine();
      expect((await money.get(payer, next.id)).status).toBe('completed');
    });
    expect(await money.balance('ethereum', dest)).toBe(ETH / 2n);
    expect(await countEvents('transfer.sent_again', id)).toBe(1);
    expect(await (await fetch(`${money.app.url}/metrics`)).text()).toMatch(/^transfers_sent_again_total [1-9]/m);
  });

  it.each([
    ['a payment', 'completed'],
    ['a cancellation', 'failed'],
  ] as const)('ends by %s when a reorganisation leaves that in the place of the other', async (winner, status) => {
    const payer = await money.payer('ethereum');
    const { id, dest } = await stuck(payer);
    await priceGas(5n * GWEI);
    await cancel(payer, id);
    const signed = await signedFor(id);
    const [payment, cancellation] = [signed.findLast(({ kind }) => kind === 'payment')!, signed.at(-1)!];
    const [first, last] = winner === 'a payment' ? [cancellation, payment] : [payment, cancellation];
    // The node holds what the service does not want it to, and the service is silent meanwhile.
    await sendNothing();
    for (const { hash } of signed) await money.anvil.call('anvil_dropTransaction', hash);
    await priceGas(GWEI / 100n);
    await leak(first.raw);
    await money.anvil.mine();
    await when(payer, id, ({ stage, blockchain_tx_hash }) => stage === 'mined' && blockchain_tx_hash === first.hash);
    await money.anvil.reorganise(1);
    await leak(last.raw);
    await money.anvil.mine();
    await when(payer, id, ({ stage, blockchain_tx_hash }) => stage === 'mined' && blockchain_tx_hash === last.hash);
    await money.anvil.mine(FINALITY_DEPTH);
    await when(payer, id, (transfer) => transfer.status === status);
    expect(await money.balance('ethereum', dest)).toBe(status === 'completed' ? ETH / 2n : 0n);
  });

  it('is replaced once by simultaneous requests on two replicas, while trackers raise the fees of the payment', async () => {
    const payer = await money.payer('ethereum');
    const { id, dest } = await confirmed(payer);
    await age(id, 601);
    await when(payer, id, ({ stuck_since }) => stuck_since > 0);
    const other = await money.replica();
    try {
      for (let round = 0; round < 3; round++) {
        void age(id, 61);
        const answers = await Promise.all(
          Array.from({ length: 20 }, (_, i) => patiently(() => cancel(payer, id, i % 2 === 0 ? money.app : other))),
        );
        expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      }
      const kinds = (await signedFor(id)).map(({ kind }) => kind);
      // Payments, and after the first cancellation only higher-fee replacements of it.
      const begun = kinds.indexOf('cancellation');
      expect(new Set(kinds.slice(begun))).toEqual(new Set(['cancellation']));
      expect(kinds.length - begun).toBeLessThanOrEqual(4);
      await eventually(async () => {
        await money.look();
        await money.anvil.mine();
        expect((await money.get(payer, id)).status).toBe('failed');
      });
      expect(await money.balance('ethereum', dest)).toBe(0n);
      expect(await money.anvil.provider.getTransactionCount(payer.address)).toBe(1);
      expect(await countEvents('transfer.failed', id)).toBe(1);
    } finally {
      await other.stop();
    }
  });

  it('is refused by a replica on another network, which signs nothing, and is replaced by one on its own', async () => {
    const payer = await money.payer('ethereum');
    const { id } = await stuck(payer);
    const elsewhere = await Anvil.start({ chainId: 5, blockTime: 'never' });
    await elsewhere.fund(payer.address, 10n * ETH);
    const moved = await money.replica({ ETHEREUM_RPC_URL: elsewhere.url, ETHEREUM_CHAIN_ID: '5', ROLE: 'api' });
    try {
      const before = await signedFor(id);
      const { status, body } = await cancel(payer, id, moved);
      expect([status, body.error_type]).toEqual([409, 'network_changed']);
      expect(body.error_message).not.toContain('reate another');
      const kinds = (await signedFor(id)).map(({ kind }) => kind);
      expect([kinds.length >= before.length, new Set(kinds)]).toEqual([true, new Set(['payment'])]);
      expect(await elsewhere.provider.getTransactionCount(payer.address, 'pending')).toBe(0);
    } finally {
      await moved.stop();
      await elsewhere.stop();
    }
    await priceGas(5n * GWEI);
    expect((await cancel(payer, id)).status).toBe(200);
    await end(payer, id, 'failed');
  });

  it('is refused and nothing changes when the wallet cannot pay for the cancellation', async () => {
    const payer = await money.payer('ethereum');
    const { id } = await stuck(payer);
    await priceGas(5n * GWEI);
    await money.anvil.fund(payer.address, GWEI);
    await unchanged(payer, id, 'insufficient_funds');
    await money.anvil.fund(payer.address, 10n * ETH);
    expect((await cancel(payer, id)).status).toBe(200);
    await end(payer, id, 'failed');
  });

  it('is refused and nothing changes when the cancellation needs more than ten times the quote, or than a ceiling', async () => {
    const payer = await money.payer('ethereum', 1000n);
    const { id } = await stuck(payer);
    // The next block takes 87 gwei; ten times the quote are about 20.
    expect(await unchanged(payer, id, 'fee_too_high')).toContain('more than its bound');
    await priceGas(2000n * GWEI);
    expect(await unchanged(payer, id, 'fee_too_high')).toContain('ETHEREUM_MAX_FEE_PER_GAS');
    await priceGas(5n * GWEI);
    money.proxies.ethereum.answer = (method) =>
      method === 'eth_maxPriorityFeePerGas' ? `0x${ETH.toString(16)}` : undefined;
    expect(await unchanged(payer, id, 'fee_too_high')).toContain('ETHEREUM_MAX_TIP');
    money.proxies.ethereum.answer = () => undefined;
    const { body } = await cancel(payer, id);
    expect(Number(body.attempts.at(-1).max_fee)).toBeLessThanOrEqual(Number(body.total_fees) * 10);
    await end(payer, id, 'failed');
  });

  it('is refused and nothing changes when the cancellation may take more than the app allows in fees', async () => {
    const payer = await money.payer('ethereum');
    const { id } = await stuck(payer);
    await priceGas(5n * GWEI);
    const bound = (max_fees: unknown) =>
      money.app.call('PATCH', `/management/v1/apps/${payer.app.id}`, {
        key: MANAGEMENT_KEY,
        body: { transfer_policy: { max_fees } },
      });
    await bound([{ currency: 'ethereum', max_fee: '0.00005' }]);
    await unchanged(payer, id, 'fee_limit_exceeded');
    await bound(null);
    expect((await cancel(payer, id)).status).toBe(200);
    await end(payer, id, 'failed');
  });

  /** Has the cancellation refused for a reason, with nothing signed; returns what the refusal says. */
  async function unchanged(payer: Payer, id: string, errorType: string): Promise<string> {
    const before = await money.get(payer, id);
    // Settings of an app are at most half a second old.
    const { body } = await eventually(async () => {
      const answer = await cancel(payer, id);
      expect(answer.body.error_type).toBe(errorType);
      return answer;
    });
    const { attempts, status } = await money.get(payer, id);
    expect({ attempts, status }).toEqual({ attempts: before.attempts, status: 'pending' });
    return body.error_message;
  }

  async function end(payer: Payer, id: string, expected: string): Promise<void> {
    await priceGas(GWEI / 100n);
    await eventually(async () => {
      await money.look();
      await money.anvil.mine();
      expect((await money.get(payer, id)).status).toBe(expected);
    });
  }

  it('cannot be cancelled before it is stuck, or once it is in a block', async () => {
    const payer = await money.payer('ethereum', 100n);
    const { id } = await confirmed(payer);
    await when(payer, id, ({ stage }) => stage === 'submitted');
    const refused = async (of: Payer, transferId: string) => {
      const { status, body } = await cancel(of, transferId);
      expect([status, body.error_type]).toEqual([409, 'transfer_already_confirmed']);
    };
    await refused(payer, id);
    await age(id, 601);
    await when(payer, id, ({ stuck_since }) => stuck_since > 0);
    await money.anvil.mine();
    await when(payer, id, ({ stage }) => stage === 'mined');
    await refused(payer, id);
    await database.query(`update transfers set stuck_since = now(), next_check_at = 'infinity' where id = $1`, [id]);
    await refused(payer, id);
  });
});

describe('endpoints that come to be on another chain with the same id', () => {
  let other: Anvil;
  afterEach(async () => {
    money.proxies.ethereum.target = money.anvil.url;
    await other.stop();
  });
  async function move(payer: Payer, timestamp?: number): Promise<void> {
    other = await Anvil.start({ blockTime: 'never', timestamp });
    await other.fund(payer.address, 10n * ETH);
    money.proxies.ethereum.target = other.url;
  }

  it('receive nothing: a transfer is stuck for that, and no other is confirmed', async () => {
    const payer = await money.payer('ethereum');
    const { id: refused } = await money.created(payer);
    const { id, dest } = await confirmed(payer);
    // A look that saw the payment nowhere before the move may still send it after the move.
    await money.withoutTracker(async () => {
      await age(id, 601);
      await move(payer);
      await other.mine(200);
    });
    await when(payer, id, ({ stuck_reason }) => stuck_reason === 'another_chain');
    const { status, body } = await money.confirm(payer, refused);
    expect([status, body.error_type]).toEqual([503, 'chain_unavailable']);
    await other.mine();
    expect(await other.balance(dest)).toBe(0n);
    money.proxies.ethereum.target = money.anvil.url;
    await eventually(async () => {
      await money.look();
      await money.anvil.mine();
      expect((await money.get(payer, id)).status).toBe('completed');
    });
  });

  it('receive no completed payment once more when the network has begun anew from the same first block', async () => {
    const payer = await money.payer('ethereum');
    await money.anvil.mine(2 * FINALITY_DEPTH);
    const { id, dest } = await confirmed(payer);
    await money.anvil.mine(FINALITY_DEPTH + 1);
    await when(payer, id, ({ status }) => status === 'completed');
    await move(payer, FIRST_BLOCK_AT);
    const next = await confirmed(payer);
    await age(next.id, 601);
    await when(payer, next.id, ({ stuck_reason }) => stuck_reason === 'another_chain');
    await other.mine();
    expect(await other.balance(dest)).toBe(0n);
    expect(await other.provider.getTransactionCount(payer.address)).toBe(0);
    expect(await countEvents('transfer.sent_again', id)).toBe(0);
    // The operator says that the chain began anew: nothing of the earlier one counts any more.
    const network = `eip155:${money.anvil.chainId}`;
    const order = { by: { actor: 'cli', requestId: null, ip: null }, reason: 'the chain was restarted' };
    const { earlier, pending } = await money.app.nest.get(BeginNetworkAnew, { strict: false }).execute(order, network);
    expect(pending).toBeGreaterThan(0);
    const fresh = await confirmed(payer);
    expect((await money.get(payer, fresh.id)).attempts).toMatchObject([{ nonce: 0 }]);
    const { rows } = await database.query(
      `select distinct network from transfers where id = any($1) order by network`,
      [[id, next.id, fresh.id]],
    );
    expect(rows).toEqual([{ network }, { network: earlier }]);
    const { rows: entries } = await database.query(
      `select app_id, actor, action, target_id, fields from audit_log where action = 'network.begun_anew'`,
    );
    const fields = ['reason: the chain was restarted', `earlier network: ${earlier}`];
    expect(entries).toEqual([{ app_id: '', actor: 'cli', action: 'network.begun_anew', target_id: network, fields }]);
  });
});

describe('a sender queue on ethereum', () => {
  const repository = () => money.app.nest.get(TrackingRepository, { strict: false });

  it('raises the fees of a transfer while the one before it is in a block that is not final', async () => {
    const payer = await money.payer('ethereum');
    const first = await confirmed(payer);
    await money.anvil.mine();
    await when(payer, first.id, ({ stage }) => stage === 'mined');
    const second = await confirmed(payer);
    await when(payer, second.id, ({ stage }) => stage === 'submitted');
    await age(second.id, 61);
    await when(payer, second.id, ({ attempts }) => attempts.length === 2);
    expect((await money.get(payer, first.id)).stage).toBe('mined');
  });

  it('has a place for another as soon as one is in a block, and more than its places after a reorganisation', async () => {
    const payer = await money.payer('ethereum', 100n);
    const transfers: { id: string; dest: string }[] = [];
    for (let i = 0; i < 16; i++) transfers.push(await confirmed(payer, { source_amount: '0.1' }));
    await money.anvil.mine();
    for (const { id } of transfers) await when(payer, id, ({ stage }) => stage === 'mined');
    for (let i = 0; i < 3; i++) transfers.push(await confirmed(payer, { source_amount: '0.1' }));
    const stageOf = async ({ id }: { id: string }) => (await money.get(payer, id)).stage;
    expect(await stageOf(transfers.at(-1)!)).not.toBe('queued');
    await money.anvil.reorganise(1);
    for (const { id } of transfers.slice(0, 16)) await when(payer, id, ({ stage }) => stage === 'submitted');
    const late = await confirmed(payer, { source_amount: '0.1' });
    expect(await stageOf(late)).toBe('queued');
    await eventually(async () => {
      await money.look();
      await money.anvil.mine();
      for (const { id } of [...transfers, late]) expect((await money.get(payer, id)).status).toBe('completed');
    });
    for (const { dest } of [...transfers, late]) expect(await money.balance('ethereum', dest)).toBe(ETH / 10n);
    expect(await money.anvil.provider.getTransactionCount(payer.address)).toBe(20);
  });

  it('serves first who came first, and asks the node nothing for those who wait', async () => {
    const payer = await money.payer('ethereum', 100n);
    const signed: string[] = [];
    for (let i = 0; i < 16; i++) signed.push((await confirmed(payer, { source_amount: '0.1' })).id);
    const queued: string[] = [];
    for (let i = 0; i < 3; i++) queued.push((await confirmed(payer, { source_amount: '0.1' })).id);
    const all = [...signed, ...queued];
    await money.withoutTracker(async () => {
      const state = async () =>
        (await database.query(`select updated_at, stage from transfers where id = any($1) order by id`, [queued])).rows;
      const before = await state();
      money.proxies.ethereum.calls.clear();
      for (const id of queued) await track(payer, id);
      expect([...money.proxies.ethereum.calls]).toEqual([]);
      expect(await state()).toEqual(before);
      // Two places are free: they are of the two that have waited longest, in whichever order transfers are looked at.
      await database.query(`update transfers set stage = 'mined', mined_block = 1 where id = any($1)`, [
        signed.slice(0, 2),
      ]);
      const late = await confirmed(payer, { source_amount: '0.1' });
      all.push(late.id);
      for (const id of [late.id, ...queued.toReversed()]) await track(payer, id);
      const stages = await Promise.all([...queued, late.id].map(async (id) => (await money.get(payer, id)).stage));
      expect(stages).toEqual(['signed', 'signed', 'queued', 'queued']);
    });
    await eventually(async () => {
      await money.look();
      await money.anvil.mine();
      for (const id of all) expect((await money.get(payer, id)).status).toBe('completed');
    });
  });

  it('does not refuse a covered payment because an earlier one is not recorded yet', async () => {
    const payer = await money.payer('ethereum', 1n);
    await confirmed(payer, { source_amount: '0.4' });
    const second = await money.created(payer, { source_amount: '0.3' });
    await money.withoutTracker(async () => {
      await money.anvil.mine();
      const { status } = await money.confirm(payer, second.id);
      expect(status).toBe(200);
    });
    await money.anvil.mine(FINALITY_DEPTH + 1);
    await when(payer, second.id, (transfer) => transfer.status === 'completed');
  });

  it('fails, safe to repeat, what waited in its queue when the service was moved to another network', async () => {
    const payer = await money.payer('ethereum');
    const { id } = await money.created(payer);
    await database.query(
      `update transfers set status = 'pending', stage = 'queued', confirmed_at = now(), next_check_at = now(),
         network = 'eip155:5' where id = $1`,
      [id],
    );
    await signRows(money.app, 'transfers');
    const failed = await when(payer, id, ({ status }) => status === 'failed');
    expect(failed.failure).toMatchObject({ code: 'network_changed', retry_safe: true });
    const created = await money.created(payer);
    await database.query(`update transfers set network = 'eip155:5' where id = $1`, [created.id]);
    await signRows(money.app, 'transfers');
    const { status, body } = await money.confirm(payer, created.id);
    expect([status, body.error_type]).toEqual([409, 'network_changed']);
  });

  it('marks a transfer stuck that is in a block and does not become final for very long', async () => {
    const payer = await money.payer('ethereum');
    const { id } = await confirmed(payer);
    await money.anvil.mine();
    await when(payer, id, ({ stage }) => stage === 'mined');
    const since = (seconds: number) =>
      database.query(`update transfers set updated_at = now() - make_interval(secs => $2) where id = $1`, [
        id,
        seconds,
      ]);
    await since(2300);
    await track(payer, id);
    expect((await money.get(payer, id)).stuck_since).toBe(0);
    await since(2401);
    expect((await when(payer, id, ({ stuck_since }) => stuck_since > 0)).stage).toBe('mined');
    await money.anvil.mine(FINALITY_DEPTH);
    await when(payer, id, ({ status }) => status === 'completed');
    expect(await countEvents('transfer.stuck', id)).toBe(1);
  });

  it('of a busy app delays no other app', async () => {
    const [busy, quiet] = [await money.payer('ethereum'), await money.payer('ethereum')];
    const ids: string[] = [];
    for (const payer of [busy, busy, busy, busy, quiet]) ids.push((await money.created(payer)).id);
    const last = ids.at(-1)!;
    const transactions = money.app.nest.get(Transactions, { strict: false });
    const sql = money.app.nest.get(Database, { strict: false });
    const overdue = await transactions.run(async () => {
      await sql.write(
        `update transfers set expires_at = now() - case when id = $2 then interval '1 day' else interval '1 hour' end
          where id = any($1)`,
        [ids, last],
      );
      return repository().claimOverdue(3);
    });
    expect(overdue.map(({ transfer }) => transfer.id)).toContain(last);
    // A chain of their own, which no tracker looks at. The quiet app's transfer is due for the shortest time.
    const claimed = async (limit: number, underWay: AppId[]) => {
      await database.query(
        `update transfers set chain = 'elsewhere', status = 'pending', stage = 'queued', confirmed_at = now(),
           next_check_at = now() - case when id = $2 then interval '1 second' else interval '1 hour' end
          where id = any($1)`,
        [ids, last],
      );
      return (await repository().claimDue('elsewhere' as WalletType, limit, underWay)).map(({ id }) => id);
    };
    const [two, oneMore, first] = [
      await claimed(2, []),
      await claimed(1, [busy.app.id as AppId]),
      await claimed(1, []),
    ];
    await database.query(`delete from transfers where id = any($1)`, [ids]);
    expect(two).toHaveLength(2);
    expect(two).toContain(last);
    // The busy app holds a worker slot already, so that the next free one is not its own again.
    expect(oneMore).toEqual([last]);
    expect(first).not.toContain(last);
  });
});

describe.each<WalletType>(['ethereum', 'solana'])('a wallet on %s', (chain) => {
  it('does not spend twice what a machine that lags behind still shows', async () => {
    const payer = await money.payer(chain, 1n);
    // From here on a lagging machine knows what there was.
    const first = await money.created(payer, { source_amount: '0.6' });
    const second = await money.created(payer, { source_amount: '0.6' });
    money.solana.advance();
    await money.anvil.mine();
    const earlier = await money.anvil.call('eth_getBlockByNumber', 'latest', false);
    await money.confirm(payer, first.id);
    await (chain === 'ethereum' ? money.anvil.mine(FINALITY_DEPTH + 1) : money.solana.advance(20));
    await when(payer, first.id, ({ status }) => status === 'completed');
    money.proxies.solana.fault = (method) => (method === 'getMultipleAccounts' ? 'stale' : null);
    money.proxies.ethereum.answer = (method, [tag]) =>
      method === 'eth_getBlockByNumber' && tag === 'latest' ? earlier : undefined;
    const { status, body } = await money.confirm(payer, second.id);
    money.proxies.ethereum.answer = () => undefined;
    expect([status, body.error_type]).toEqual([409, 'insufficient_funds']);
    expect((await money.get(payer, second.id)).status).toBe('unconfirmed');
    // One that has caught up says what is left, at once.
    money.proxies[chain].fault = () => null;
    const third = await money.created(payer, { source_amount: '0.3' });
    expect((await money.confirm(payer, third.id)).status).toBe(200);
    await (chain === 'ethereum' ? money.anvil.mine(FINALITY_DEPTH + 1) : money.solana.advance(20));
    await when(payer, third.id, (transfer) => transfer.status === 'completed');
  });
});

describe.each<WalletType>(['ethereum', 'solana'])('a replica killed while it pays on %s', (chain) => {
  const cases = [
    ['between commit and send', 'request_lost', 0n],
    ['between send and record', 'answer_lost', 1n],
  ] as const;

  it.each(cases)('%s has paid once in the end', async (_, fault, arrived) => {
    const payer = await money.payer(chain);
    const { id, dest } = await money.created(payer);
    const replica = new Replica({
      NODE_ENV: 'test',
      ROLE: 'api',
      DATABASE_URL: money.app.databaseUrl,
      ...money.env,
    });
    const url = await replica.start();
    const killed = new Promise<void>((resolve) => {
      money.proxies[chain].fault = (method) => {
        if (!SENDS.includes(method)) return null;
        money.proxies[chain].fault = () => null;
        void replica.kill().then(resolve);
        return fault;
      };
    });
    const unit = chain === 'ethereum' ? ETH : 1_000_000_000n;
    await money.withoutTracker(async () => {
      const call = fetch(`${url}/v1/transfers/${id}/confirm`, {
        method: 'POST',
        headers: { authorization: `Bearer ${payer.app.secretKey}`, 'content-type': 'application/json' },
        body: '{}',
      });
      await expect(call).rejects.toThrow();
      await killed;
      const { rows } = await database.query<{ started: boolean; accepted: boolean }>(
        `select first_broadcast_started_at is not null as started, accepted_at is not null as accepted
           from transfer_attempts where transfer_id = $1`,
        [id],
      );
      expect(rows).toEqual([{ started: true, accepted: false }]);
      if (chain === 'solana') expect(await money.balance(chain, dest)).toBe((arrived * unit) / 2n);
    });
    await eventually(async () => {
      await money.look();
      await (chain === 'ethereum' ? money.anvil.mine() : money.solana.advance());
      expect((await money.get(payer, id)).status).toBe('completed');
    });
    expect(await money.balance(chain, dest)).toBe(unit / 2n);
    expect((await money.get(payer, id)).attempts).toHaveLength(1);
  });
});

describe('two replicas', () => {
  it('track the same transfers without getting in each other’s way', async () => {
    const other: TestApp = await money.replica();
    try {
      const payers = await Promise.all(Array.from({ length: 5 }, () => money.payer('ethereum')));
      const transfers = await Promise.all(payers.map(async (payer) => ({ payer, ...(await confirmed(payer)) })));
      await eventually(async () => {
        await money.look();
        await money.anvil.mine();
        for (const { payer, id } of transfers) expect((await money.get(payer, id)).status).toBe('completed');
      });
      for (const { dest, id } of transfers) {
        expect(await money.balance('ethereum', dest)).toBe(ETH / 2n);
        expect(await countEvents('transfer.completed', id)).toBe(1);
      }
    } finally {
      await other.stop();
    }
  });
});
