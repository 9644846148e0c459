import { Client } from 'pg';
import type { WalletType } from '../../../../src/kernel/chain/chain-name.js';
import { Chains } from '../../../../src/kernel/chain/chain.js';
import type { AppId, TransferId } from '../../../../src/kernel/ids.js';
import { KEY_SCOPES } from '../../../../src/kernel/key-restriction.js';
import { confirmationOf, SignPayment } from '../../../../src/modules/transfer/paying/application/sign-payment.js';
import { TrackTransfer } from '../../../../src/modules/transfer/tracking/application/track-transfer.js';
import { SENDER_QUEUE_CAPACITY } from '../../../../src/modules/transfer/transfer/domain/sender-queue.js';
import {
  isUnchanged,
  TransferRepository,
} from '../../../../src/modules/transfer/transfer/domain/transfer.repository.js';
import type { Answer } from '../../../support/app.js';
import type { GivenApp } from '../../../support/given.js';
import { ETH, Money, type Payer } from '../../../support/money.js';
import { signRows } from '../../../support/row-macs.js';
import { Observer } from '../../../support/observer.js';
import { backUpQueue, restoreQueue } from '../../../support/restored-books.js';
import { type Holder, refusal } from '../../passkey/passkeys.js';
import { asking, type Fields, PolicyApp } from '../policies.js';
import { Treasury } from '../treasury.js';

// Blocks come, and payments are tracked, only when a test makes it so.
let money: Money;
let observer: Observer;

beforeAll(async () => {
  money = await Money.start({
    ethereum: { blockTime: 'never' },
    solana: { slotMs: undefined, finalizedAfter: 8 },
    env: {
      ROLE: 'api',
      TRANSFER_CONFIRM_WAIT_SECONDS: '0',
      TRANSFER_BUMP_AFTER_SECONDS: '60',
      TRANSFER_STUCK_AFTER_SECONDS: '600',
    },
  });
  observer = await Observer.of(money.app);
  await money.anvil.mine(2);
  money.solana.advance(2);
});
afterAll(async () => {
  await observer?.close();
  await money?.stop();
});
afterEach(() => {
  money.solana.fate = () => 'land';
});

async function track({ app }: Payer, id: string): Promise<void> {
  await money.app.nest.get(TrackTransfer, { strict: false }).execute(app.id as AppId, id as TransferId);
}

/** Tries to sign a queued transfer, as a replica does that has read the queue before another one took its last place. */
async function trySigning({ app, chain }: Payer, id: string): Promise<void> {
  const at = <T>(type: abstract new (...given: never[]) => T): T =>
    money.app.nest.get(type as never, { strict: false });
  const seen = (await at(TransferRepository).find(app.id as AppId, id as TransferId))!;
  const { transfer } = seen;
  await at(SignPayment).execute({
    transfers: [transfer],
    chain: at(Chains).named(chain),
    earlier: [],
    confirmation: confirmationOf(transfer),
    isBatch: false,
    maySign: ([locked]) => isUnchanged(locked!, seen, 0),
  });
}

/** Tracks the transfer, on a moving chain, until it is so. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests reach into answers as clients do
async function tracked(payer: Payer, id: string, is: (transfer: any) => boolean): Promise<any> {
  for (let looks = 0; looks < 200; looks++) {
    const transfer = await money.get(payer, id);
    if (is(transfer)) return transfer;
    await track(payer, id);
    if (payer.chain === 'ethereum') await money.anvil.mine();
    else money.solana.advance(40);
  }
  throw new Error(JSON.stringify(await money.get(payer, id)));
}

const ended = (payer: Payer, id: string) => tracked(payer, id, ({ status }) => status !== 'pending');

async function confirmed(payer: Payer, source_amount = '0.01', as: { secretKey: string } = payer.app): Promise<string> {
  const { id } = await money.created(payer, { source_amount });
  const { status, text } = await confirm(payer, id, {}, as);
  if (status !== 200) throw new Error(text);
  return id;
}

function confirm(payer: Payer, id: string, body: Fields = {}, { secretKey }: { secretKey: string } = payer.app) {
  return money.app.call('POST', `/v1/transfers/${id}/confirm`, { key: secretKey, body });
}

/** Confirms as many transfers as a sender queue signs at a time. */
async function fillQueue(payer: Payer): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < SENDER_QUEUE_CAPACITY; i++) ids.push(await confirmed(payer));
  return ids;
}

/** Records the transfers of a queue as mined, so that it has places. */
async function emptyQueue(payer: Payer, ids: readonly string[]): Promise<void> {
  await money.anvil.mine();
  for (const id of ids) await track(payer, id);
}

const cancel = ({ app }: Payer, id: string): Promise<Answer> =>
  money.app.call('POST', `/v1/transfers/${id}/cancel`, { key: app.secretKey });

/** Puts a policy of the app in force. */
async function inForce(payer: Payer, rules: readonly Fields[], fields: Fields = {}): Promise<void> {
  const policies = PolicyApp.at(money.app, payer.app);
  const { status, text } = await policies.activate(await policies.version({ rules, ...fields }));
  if (status !== 200) throw new Error(text);
}

const upTo = (max_amount: string, currency: WalletType = 'ethereum'): Fields => ({
  id: 'pays',
  effect: 'allow',
  match: { operations: ['transfer'], assets: [currency] },
  windows: [{ seconds: 3_600, max_amount }],
});

/** The amounts that budgets count for a transfer. */
function spends(id: string) {
  return observer.rows<{ amount: string; is_held: boolean; is_released: boolean }>(
    `select amount::text, is_held, released_at is not null as is_released from spend_events where operation_id = $1`,
    [id],
  );
}

/** The stored decisions of a transfer, the oldest first. */
function decisions(id: string) {
  return observer.rows<{ outcome: string; actor: string; reason: string | null }>(
    'select outcome, actor, reason from policy_decisions where operation_id = $1 order by id',
    [id],
  );
}

const HALF = String(ETH / 2n);
const HELD = { amount: HALF, is_held: true, is_released: false };

async function restrictedKey(app: GivenApp, fields: Fields = {}): Promise<{ id: string; secretKey: string }> {
  const { body, text } = await PolicyApp.at(money.app, app).manage('POST', '/keys', {
    kind: 'restricted',
    scopes: KEY_SCOPES,
    ...fields,
  });
  if (!body.key) throw new Error(text);
  return { id: body.id, secretKey: body.key };
}

describe('the budget of a payment', () => {
  it('is taken once by all its replacements, and given back once when it is cancelled', async () => {
    const payer = await money.payer('ethereum');
    await inForce(payer, [upTo('0.75')]);
    const id = await confirmed(payer, '0.5');
    for (const attempts of [2, 3]) {
      await observer.age(id, 61);
      await track(payer, id);
      expect((await money.get(payer, id)).attempts).toHaveLength(attempts);
      expect(await spends(id)).toEqual([HELD]);
    }
    await observer.age(id, 601);
    while (!(await money.get(payer, id)).stuck_since) await track(payer, id);
    expect((await cancel(payer, id)).status).toBe(200);
    expect(await spends(id)).toEqual([HELD]);
    expect(await ended(payer, id)).toMatchObject({
      status: 'failed',
      failure: { code: 'replaced_by_cancellation', retry_safe: true },
    });
    expect(await spends(id)).toEqual([{ amount: HALF, is_held: false, is_released: true }]);
    await confirmed(payer, '0.75');
    const { id: more } = await money.created(payer, { source_amount: '0.000000000000000001', allow_high_fee: true });
    expect((await confirm(payer, more)).body).toMatchObject({ reason: 'window_amount' });
  });

  it('is taken once when it is signed again on solana, and given back once when that is proven dead', async () => {
    const payer = await money.payer('solana');
    await inForce(payer, [upTo('0.75', 'solana')]);
    money.solana.fate = () => 'forget';
    const id = await confirmed(payer, '0.5');
    money.solana.expireBlockhashes();
    await tracked(payer, id, ({ attempts }) => attempts.length === 2);
    expect(await spends(id)).toMatchObject([{ is_held: true }]);
    expect((await cancel(payer, id)).status).toBe(200);
    money.solana.expireBlockhashes();
    expect((await ended(payer, id)).status).toBe('cancelled');
    expect(await spends(id)).toMatchObject([{ is_held: false, is_released: true }]);
    await confirmed(payer, '0.75');
  });

  it('is given back when an approved one, which waits in a full queue, is cancelled or loses its approval', async () => {
    const treasury = await Treasury.of(money, observer, { rules: (group) => [{ ...upTo('2'), ...asking(group) }] });
    const { payer, policies } = treasury;
    await policies.retire(treasury.version);
    await fillQueue(payer);
    await policies.activate(treasury.version);
    const [first, second] = [await treasury.awaiting(), await treasury.awaiting()];
    for (const { id, approval } of [first, second]) {
      await treasury.vote(approval, treasury.members[0]!);
      await trySigning(payer, id);
      expect(await money.get(payer, id)).toMatchObject({ status: 'pending', stage: 'queued' });
      expect(await spends(id)).toEqual([HELD]);
    }
    expect((await cancel(payer, first.id)).body.status).toBe('cancelled');
    await policies.retire(treasury.version);
    expect(await treasury.approval(second.approval)).toMatchObject({ state: 'void', reason: 'policy_changed' });
    expect((await money.get(payer, second.id)).status).toBe('rejected');
    for (const { id } of [first, second])
      expect(await spends(id)).toEqual([{ amount: HALF, is_held: false, is_released: true }]);
  });

  it('is not taken before a place in a full queue is free, if it was confirmed before the policy', async () => {
    const payer = await money.payer('ethereum');
    const signed = await fillQueue(payer);
    const [kept, left] = [await confirmed(payer, '0.5'), await confirmed(payer, '0.5')];
    await inForce(payer, [upTo('0.75')]);
    for (const id of [kept, left]) await trySigning(payer, id);
    expect(await spends(kept)).toEqual([]);
    expect((await cancel(payer, left)).body.status).toBe('cancelled');
    await emptyQueue(payer, signed);
    await track(payer, kept);
    expect(await spends(kept)).toEqual([HELD]);
    expect(await spends(left)).toEqual([]);
  });

  it('counts in windows from its signing, not from its confirmation', async () => {
    const treasury = await Treasury.of(money, observer, { rules: (group) => [{ ...upTo('0.75'), ...asking(group) }] });
    const { payer } = treasury;
    const { id, approval } = await treasury.awaiting();
    // It was put to approvers longer ago than the window counts.
    await observer.rows(
      `update spend_events set at = ((at at time zone 'UTC') - interval '2 hours') at time zone 'UTC' where operation_id = $1`,
      [id],
    );
    await signRows(money.app, 'spend_events');
    await observer.rows('delete from spend_sums where app_id = $1', [payer.app.id]);
    await treasury.vote(approval, treasury.members[0]!);
    expect((await ended(payer, id)).status).toBe('completed');
    expect(await spends(id)).toEqual([{ amount: HALF, is_held: false, is_released: false }]);
    await observer.rows('update spend_events set settled_at = null where operation_id = $1', [id]);
    await signRows(money.app, 'spend_events');
    const second = await money.created(payer);
    expect((await confirm(payer, second.id)).body).toMatchObject({ reason: 'window_amount' });
  });
});

describe('the decisions about a payment', () => {
  it('are one for its confirmation and one for its signing, however often a replica finds its queue full', async () => {
    const payer = await money.payer('ethereum');
    const signed = await fillQueue(payer);
    await inForce(payer, [upTo('1')]);
    const id = await confirmed(payer, '0.5');
    for (let tries = 0; tries < 5; tries++) await trySigning(payer, id);
    expect(await decisions(id)).toMatchObject([{ outcome: 'allow' }]);
    await emptyQueue(payer, signed);
    await track(payer, id);
    expect((await money.get(payer, id)).attempts).toHaveLength(1);
    expect(await decisions(id)).toMatchObject([{ outcome: 'allow' }, { outcome: 'allow' }]);
  });

  it('are one for all refused attempts to replace it', async () => {
    const payer = await money.payer('ethereum');
    const id = await confirmed(payer, '0.5');
    await inForce(payer, [{ effect: 'deny', match: { operations: ['transfer'] } }]);
    await observer.age(id, 61);
    for (let looks = 0; looks < 5; looks++) await track(payer, id);
    expect((await money.get(payer, id)).attempts).toHaveLength(1);
    expect(await decisions(id)).toMatchObject([{ outcome: 'deny', reason: 'denied_by_rule' }]);
    expect((await ended(payer, id)).status).toBe('completed');
  });

  it('are one for each refused confirmation', async () => {
    const payer = await money.payer('ethereum');
    const { id } = await money.created(payer);
    await inForce(payer, [{ effect: 'deny', match: { operations: ['transfer'] } }]);
    for (let calls = 0; calls < 2; calls++) expect(refusal(await confirm(payer, id))).toEqual([403, 'policy_denied']);
    expect(await decisions(id)).toMatchObject([{ outcome: 'deny' }, { outcome: 'deny' }]);
  });
});

describe('the owner of a wallet', () => {
  const owner = ({ members }: Treasury): Holder => members.at(-1)!;
  const REFUSED = [403, 'not_an_approver'];

  it('may approve a payment that names no user', async () => {
    const treasury = await Treasury.of(money, observer);
    const { approval } = await treasury.awaiting();
    expect((await treasury.begin(approval, owner(treasury))).status).toBe(200);
  });

  it('must not approve a payment whose creation named the owner', async () => {
    const treasury = await Treasury.of(money, observer);
    const { approval } = await treasury.awaiting({ user_id: treasury.payer.userId });
    expect(refusal(await treasury.begin(approval, owner(treasury)))).toEqual(REFUSED);
  });

  it.each(['creates', 'confirms'])('may approve a payment that a key bound to the owner %s', async (step) => {
    const treasury = await Treasury.of(money, observer);
    const { payer, app } = treasury;
    const own = await restrictedKey(app, { user_id: payer.userId });
    const creating = step === 'creates' ? { ...app, secretKey: own.secretKey } : app;
    const { id } = await money.created({ ...payer, app: creating });
    const { body } = await confirm(payer, id, {}, step === 'confirms' ? own : app);
    expect((await treasury.begin(body.approval_id, owner(treasury))).status).toBe(200);
  });

  it('must not approve a payment that waited in a full queue after a call that named the owner', async () => {
    const treasury = await Treasury.of(money, observer);
    const { payer, policies } = treasury;
    await policies.retire(treasury.version);
    const signed = await fillQueue(payer);
    const { id } = await money.created(payer);
    expect((await confirm(payer, id, { user_id: payer.userId })).body.stage).toBe('queued');
    await policies.activate(treasury.version);
    await emptyQueue(payer, signed);
    await track(payer, id);
    const { status, approval_id } = await money.get(payer, id);
    expect(status).toBe('awaiting_approval');
    expect(refusal(await treasury.begin(approval_id, owner(treasury)))).toEqual(REFUSED);
    expect((await treasury.begin(approval_id, treasury.members[0]!)).status).toBe(200);
  });

  it('must not approve what a second rule asks later about a payment that names the owner', async () => {
    const treasury = await Treasury.of(money, observer);
    const { payer, policies, group } = treasury;
    const first = await treasury.awaiting({}, { user_id: payer.userId });
    await inForce(payer, [asking(group)], { name: 'Second' });
    await treasury.vote(first.approval, treasury.members[0]!);
    await track(payer, first.id);
    const { status, approval_id } = await money.get(payer, first.id);
    expect([status, approval_id === first.approval]).toEqual(['awaiting_approval', false]);
    expect(refusal(await treasury.begin(approval_id, owner(treasury)))).toEqual(REFUSED);
    expect((await policies.active()).length).toBe(2);
  });
});

describe('a payment that waits until the books are compared with the chain', () => {
  async function waiting(payer: Payer, as: { secretKey: string }, body: Fields = {}): Promise<string> {
    const { id } = await money.created(payer, { source_amount: '0.5' });
    const database = new Client({ connectionString: money.app.databaseUrl });
    await database.connect();
    try {
      await restoreQueue(database, await backUpQueue(database, payer.address), { former: true });
    } finally {
      await database.end();
    }
    // On solana nothing is signed in another history until what was signed before has expired.
    const { body: answer } = await confirm(payer, id, body, as);
    expect(answer).toMatchObject({ status: 'pending', stage: 'queued', stuck_reason: 'books_behind_chain' });
    return id;
  }

  it('is judged by the policies of the key that confirmed it, and counted in their budget', async () => {
    const payer = await money.payer('solana');
    const agent = await restrictedKey(payer.app);
    await inForce(payer, [upTo('0.75', 'solana')], { scope: { kind: 'key', id: agent.id } });
    const id = await waiting(payer, agent);
    expect(await decisions(id)).toEqual([]);
    expect((await ended(payer, id)).status).toBe('completed');
    expect(await decisions(id)).toEqual([{ outcome: 'allow', actor: agent.id, reason: null }]);
    const second = await money.created(payer, { source_amount: '0.5' });
    expect((await confirm(payer, second.id, {}, agent)).body).toMatchObject({ reason: 'window_amount' });
    expect((await confirm(payer, second.id)).status).toBe(200);
  });

  it('must not be approved by the owner, whom the confirmation named', async () => {
    const treasury = await Treasury.of(money, observer, { chain: 'solana' });
    const { payer } = treasury;
    const id = await waiting(payer, payer.app, { user_id: payer.userId });
    const { approval_id } = await tracked(payer, id, ({ status }) => status === 'awaiting_approval');
    expect(refusal(await treasury.begin(approval_id, treasury.members.at(-1)!))).toEqual([403, 'not_an_approver']);
    expect((await treasury.begin(approval_id, treasury.members[0]!)).status).toBe(200);
  });
});

describe('a payment of which it is not known by what key it was confirmed', () => {
  /** As the adoption of a transaction leaves it whose confirmation the database has forgotten, once that is dead. */
  async function forgotten(payer: Payer): Promise<string> {
    const { id } = await money.created(payer, { source_amount: '0.5' });
    await observer.rows(
      `update transfers set status = 'pending', stage = 'queued', confirmed_at = now() - interval '1 hour' where id = $1`,
      [id],
    );
    await signRows(money.app, 'transfers');
    return id;
  }

  it('is judged by the policies of all keys', async () => {
    const payer = await money.payer('ethereum');
    const [one, two] = [await restrictedKey(payer.app), await restrictedKey(payer.app)];
    await inForce(payer, [upTo('0.75')], { name: 'One', scope: { kind: 'key', id: one.id } });
    await inForce(payer, [upTo('1.25')], { name: 'Two', scope: { kind: 'key', id: two.id } });
    const id = await forgotten(payer);
    expect((await ended(payer, id)).status).toBe('completed');
    expect(await spends(id)).toHaveLength(2);
    expect(await decisions(id)).toEqual([{ outcome: 'allow', actor: '', reason: null }]);
    const second = await forgotten(payer);
    expect(await ended(payer, second)).toMatchObject({
      status: 'failed',
      failure: { code: 'policy_denied', retry_safe: true },
    });
  });

  it('is put to no approver, and ends unpaid where a rule asks', async () => {
    const treasury = await Treasury.of(money, observer);
    const id = await forgotten(treasury.payer);
    expect(await ended(treasury.payer, id)).toMatchObject({
      status: 'failed',
      attempts: [],
      failure: { code: 'approval_required', retry_safe: true },
    });
    expect((await treasury.call('GET', '/approvals')).body.approvals).toEqual([]);
  });
});

describe('a key that is bound to other wallets', () => {
  it('does not learn which transfer has a custom_id', async () => {
    const payer = await money.payer('ethereum');
    const { id } = await money.created(payer, { custom_id: 'Order 7' });
    const stranger = await money.payer('ethereum', 10n, payer.app);
    const own = await restrictedKey(payer.app, { wallet_ids: [payer.walletId] });
    const foreign = await restrictedKey(payer.app, { wallet_ids: [stranger.walletId] });
    const create = (from: Payer, { secretKey }: { secretKey: string }) =>
      money.create({ ...from, app: { ...from.app, secretKey } }, { custom_id: 'Order 7' });
    const refused = await create(stranger, foreign);
    expect(refusal(refused)).toEqual([409, 'duplicate_custom_id']);
    expect(refused.text).not.toContain('transfer_');
    for (const answer of [await create(payer, own), await create(stranger, payer.app)]) {
      expect(refusal(answer)).toEqual([409, 'duplicate_custom_id']);
      expect(answer.text).toContain(id);
    }
  });
});

describe('a key that is bound to a user', () => {
  it('uses the approvals that it asks for', async () => {
    const treasury = await Treasury.of(money, observer);
    const { payer, app, members } = treasury;
    const own = await restrictedKey(app, { user_id: payer.userId, wallet_ids: [payer.walletId] });
    const sign = (body: Fields, { secretKey }: { secretKey: string } = own) =>
      money.app.call('POST', `/v1/wallets/${payer.walletId}/sign_message`, { key: secretKey, body });
    const { approval_id } = (await sign({ message: 'Hello' })).body;
    await treasury.vote(approval_id, members[0]!);
    // The approval is for the key that asked.
    expect(refusal(await sign({ message: 'Hello', approval_id }, app))).toEqual([409, 'approval_mismatch']);
    expect((await sign({ message: 'Hello', approval_id })).status).toBe(200);

    const { id } = await money.created(payer);
    const asked = await confirm(payer, id, {}, own);
    await treasury.vote(asked.body.approval_id, members[0]!);
    expect((await ended(payer, id)).status).toBe('completed');
  });
});

it('a restricted key carries no vote on its own request, and another key does', async () => {
  const treasury = await Treasury.of(money, observer);
  const { payer, app, members } = treasury;
  const scopes = KEY_SCOPES.filter((scope) => scope !== 'login:write');
  const [agent, another] = [await restrictedKey(app, { scopes }), await restrictedKey(app, { scopes })];
  const { body } = await money.app.call('POST', `/v1/wallets/${payer.walletId}/sign_message`, {
    key: agent.secretKey,
    body: { message: 'Hello' },
  });
  const credential = await treasury.assertion(body.approval_id, members[0]!);
  const vote = ({ secretKey }: { secretKey: string }) =>
    money.app.call('POST', `/v1/approvals/${body.approval_id}/approve`, {
      key: secretKey,
      body: { user_id: members[0]!.userId, public_key_credential: credential },
    });
  expect(refusal(await vote(agent))).toEqual([403, 'not_an_approver']);
  expect(refusal(await vote(await restrictedKey(app)))).toEqual([403, 'vote_not_carried']);
  expect((await vote(another)).body.state).toBe('approved');
});
