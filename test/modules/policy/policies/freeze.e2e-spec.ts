import type { AppId, TransferId } from '../../../../src/kernel/ids.js';
import type { ManagementRole } from '../../../../src/kernel/management-role.js';
import { runCommand } from '../../../../src/cli/run-command.js';
import { stopAllSigning } from '../../../../src/cli/signing-stop.js';
import { ManagementKeys } from '../../../../src/modules/apps/index.js';
import { TrackTransfer } from '../../../../src/modules/transfer/tracking/application/track-transfer.js';
import { type Answer, MANAGEMENT_KEY, type TestApp } from '../../../support/app.js';
import { forgetSettings } from '../../../support/background.js';
import { eventually, patiently } from '../../../support/eventually.js';
import { Money, type Payer } from '../../../support/money.js';
import { Observer } from '../../../support/observer.js';
import { Batches } from '../../transfer/batches.js';
import { PolicyApp } from '../policies.js';

let money: Money;
let replica: TestApp;
let observer: Observer;
beforeAll(async () => {
  money = await Money.start({ ethereum: { blockTime: 'never' }, env: { TRANSFER_CONFIRM_WAIT_SECONDS: '0' } });
  replica = await money.replica({ ROLE: 'api' });
  observer = await Observer.of(money.app);
});
afterAll(async () => {
  await observer?.close();
  await replica?.stop();
  await money?.stop();
});

type Kind = 'user' | 'wallet';

/** A call about the payer's user or wallet, with a management key of any role. */
const manage = (payer: Payer, kind: Kind, what: string, key = MANAGEMENT_KEY) => {
  const object = kind === 'user' ? `users/${payer.userId}` : `wallets/${payer.walletId}`;
  return money.app.call('POST', `/management/v1/apps/${payer.app.id}/${object}/${what}`, { key, body: {} });
};
const outcome = ({ status, body }: Answer) => [status, body.error_type];
const FROZEN = [403, 'wallet_frozen'];

const sign = (payer: Payer, at: TestApp = money.app) =>
  at.call('POST', `/v1/wallets/${payer.walletId}/sign_message`, {
    key: payer.app.secretKey,
    body: { message: 'Hello' },
  });
const signTransaction = (payer: Payer, at: TestApp = money.app) =>
  at.call('POST', `/v1/wallets/${payer.walletId}/sign_transaction`, {
    key: payer.app.secretKey,
    body: {
      eth_transaction: {
        to: payer.address,
        value: '0',
        nonce: 0,
        chainId: money.anvil.chainId,
        gas: 21_000,
        maxFeePerGas: '20000000000',
        maxPriorityFeePerGas: '1000000000',
      },
    },
  });
const exported = (payer: Payer) =>
  money.app.call('POST', `/v1/wallets/${payer.walletId}/export`, {
    key: payer.app.secretKey,
    body: { encryption_public_key: Buffer.alloc(65, 4).toString('base64') },
  });
const track = (payer: Payer, id: string) =>
  money.app.nest.get(TrackTransfer, { strict: false }).execute(payer.app.id as AppId, id as TransferId);
const sends = () => money.proxies.ethereum.calls.get('eth_sendRawTransaction') ?? 0;
const age = (id: string) =>
  observer.rows(
    `update transfers set confirmed_at = ((confirmed_at at time zone 'UTC') - interval '1 day') at time zone 'UTC' where id = $1`,
    [id],
  );

const stop = () => stopAllSigning((sql, parameters) => observer.rows(sql, parameters), 'a drill');
const thaw = () => cli('thaw --all', money.env);
async function cli(command: string, env: Readonly<Record<string, string>> = {}): Promise<Record<string, unknown>> {
  let text = '';
  const terminal = { out: (part: string) => void (text += part), err: (part: string) => void (text += part) };
  const settings = { NODE_ENV: 'test', DATABASE_URL: money.app.databaseUrl, ...env };
  const status = await runCommand([...command.split(' '), '--json'], { env: settings, terminal });
  expect([status, text]).toEqual([0, expect.any(String)]);
  return JSON.parse(text) as Record<string, unknown>;
}
const APP_FROZEN = [403, 'app_frozen'];

/** `service` is `freeze --all` of the command line. */
const freezeAny = (payer: Payer, kind: Kind | 'app' | 'service', what: 'freeze' | 'thaw') => {
  if (kind === 'service') return what === 'freeze' ? stop() : thaw();
  return kind === 'app'
    ? money.app.call('POST', `/management/v1/apps/${payer.app.id}/${what}`, { key: MANAGEMENT_KEY, body: {} })
    : manage(payer, kind, what);
};

describe.each<Kind>(['user', 'wallet'])('a frozen %s', (kind) => {
  it('signs nothing on any replica until it is thawed, and the wallets of other users sign', async () => {
    const payer = await money.payer('ethereum');
    const neighbour = await money.payer('ethereum', 10n, payer.app);
    const [first, second] = [await money.created(payer), await money.created(payer)];
    expect((await sign(payer, replica)).status).toBe(200);
    const frozen = await manage(payer, kind, 'freeze');
    expect(frozen.status).toBe(200);
    expect(frozen.body.frozen_at).toBeGreaterThan(0);
    expect((await manage(payer, kind, 'freeze')).body).toEqual(frozen.body);
    for (const refused of [
      await sign(payer, replica),
      await sign(payer),
      await exported(payer),
      await money.confirm(payer, first.id),
      await money.confirm(payer, first.id, {}, replica),
      await money.create(payer),
    ])
      expect(outcome(refused)).toEqual(FROZEN);
    expect((await money.get(payer, first.id)).status).toBe('unconfirmed');
    expect((await sign(neighbour, replica)).status).toBe(200);
    expect((await money.confirm(neighbour, (await money.created(neighbour)).id)).status).toBe(200);
    expect((await manage(payer, kind, 'thaw')).body.frozen_at).toBe(0);
    expect((await sign(payer, replica)).status).toBe(200);
    expect((await money.confirm(payer, second.id)).status).toBe(200);
    const types = `${kind}.frozen,${kind}.thawed`;
    await eventually(async () => {
      const { body } = await money.app.call('GET', '/v1/events', { key: payer.app.secretKey, query: { types } });
      expect(body.events.map(({ type, data }: { type: string; data: object }) => [type, data])).toEqual([
        [`${kind}.frozen`, expect.objectContaining({ user_id: payer.userId })],
        [`${kind}.thawed`, expect.objectContaining({ user_id: payer.userId })],
      ]);
    });
  });
});

describe.each(['user', 'wallet', 'service'] as const)('a frozen %s', (kind) => {
  afterAll(thaw);

  it('keeps a queued payment waiting, which goes on after the thaw', async () => {
    const payer = await money.payer('ethereum', 100n);
    const ids: string[] = [];
    for (let i = 0; i < 17; i++) ids.push((await money.created(payer, { source_amount: '0.1' })).id);
    for (const id of ids) expect((await patiently(() => money.confirm(payer, id))).status).toBe(200);
    const queued = ids.at(-1)!;
    expect((await money.get(payer, queued)).stage).toBe('queued');
    await freezeAny(payer, kind, 'freeze');
    await money.anvil.mine();
    await eventually(async () => {
      await money.look();
      for (const id of ids.slice(0, 16)) expect((await money.get(payer, id)).status).toBe('completed');
    });
    await age(queued);
    await track(payer, queued);
    expect(await money.get(payer, queued)).toMatchObject({
      stage: 'queued',
      stuck_reason: kind === 'service' ? 'app_frozen' : 'wallet_frozen',
    });
    await freezeAny(payer, kind, 'thaw');
    await eventually(async () => {
      await money.anvil.mine();
      await money.look();
      expect((await money.get(payer, queued)).status).toBe('completed');
    });
  });
});

describe.each(['user', 'wallet', 'app', 'service', 'altered app'] as const)(
  'a payment that was signed before its %s was frozen',
  (kind) => {
    afterAll(thaw);
    // The keys of an altered app read nothing.
    const stored = (id: string) => observer.rows('select status, stuck_reason from transfers where id = $1', [id]);
    const freeze = async (payer: Payer, what: 'freeze' | 'thaw') => {
      if (kind !== 'altered app') return freezeAny(payer, kind, what);
      await observer.rows(`update apps set signing_revision = 'x' || signing_revision where id = $1`, [payer.app.id]);
      return forgetSettings(money.app);
    };

    it('is not sent again meanwhile, and an operator may cancel it', async () => {
      const payer = await money.payer('ethereum');
      const { id } = await money.created(payer);
      const { ethereum: proxy } = money.proxies;
      const passOn = proxy.answer;
      await money.withoutTracker(async () => {
        // The node loses the payment.
        proxy.answer = (method) => (method === 'eth_sendRawTransaction' ? `0x${'0'.repeat(64)}` : undefined);
        try {
          expect((await money.confirm(payer, id)).status).toBe(200);
          const sent = sends();
          await track(payer, id);
          expect(sends()).toBeGreaterThan(sent);
          await freeze(payer, 'freeze');
          const before = sends();
          await track(payer, id);
          await track(payer, id);
          expect(sends()).toBe(before);
        } finally {
          proxy.answer = passOn;
        }
        const ofApp = kind === 'altered app' ? 'row_altered' : 'app_frozen';
        const reason = kind === 'user' || kind === 'wallet' ? 'wallet_frozen' : ofApp;
        expect(await stored(id)).toEqual([{ status: 'pending', stuck_reason: reason }]);
        const byApp = await money.app.call('POST', `/v1/transfers/${id}/cancel`, {
          key: payer.app.secretKey,
          body: {},
        });
        expect(outcome(byApp)).toEqual(kind === 'altered app' ? [500, 'seal_broken'] : [403, reason]);
        const before = sends();
        const byOperator = await money.app.call('POST', `/management/v1/apps/${payer.app.id}/transfers/${id}/cancel`, {
          key: MANAGEMENT_KEY,
        });
        expect([byOperator.status, byOperator.body.attempts?.at(-1).kind]).toEqual([200, 'cancellation']);
        expect(sends()).toBeGreaterThan(before);
      });
      await eventually(async () => {
        await money.anvil.mine();
        await money.look();
        expect(await stored(id)).toMatchObject([{ status: 'failed' }]);
      });
    });
  },
);

it('a nonce that is missing below a cancellation is used although the wallet is frozen', async () => {
  const payer = await money.payer('ethereum');
  const call = (path: string, body: object, key = payer.app.secretKey) => money.app.call('POST', path, { key, body });
  const fees = { gas: 21_000, maxFeePerGas: '20000000000', maxPriorityFeePerGas: '1000000000' };
  const eth_transaction = { to: payer.address, value: '0', nonce: 0, chainId: money.anvil.chainId, ...fees };
  const { body: foreign } = await call(`/v1/wallets/${payer.walletId}/sign_transaction`, { eth_transaction });
  const hash = await money.anvil.call('eth_sendRawTransaction', foreign.signed_transaction);
  await money.withoutTracker(async () => {
    const { id } = await money.created(payer);
    expect((await patiently(() => money.confirm(payer, id))).body.attempts).toMatchObject([{ nonce: 1 }]);
    await manage(payer, 'wallet', 'freeze');
    await track(payer, id);
    await money.anvil.call('anvil_dropTransaction', hash);
    const cancelled = await call(`/management/v1/apps/${payer.app.id}/transfers/${id}/cancel`, {}, MANAGEMENT_KEY);
    expect(cancelled.status).toBe(200);
    await observer.rows(
      `update transfer_attempts set created_at = created_at - interval '10 min' where transfer_id = $1`,
      [id],
    );
    for (let looks = 0; looks < 8; looks++) {
      await track(payer, id);
      await money.anvil.mine(64);
    }
    expect(await money.get(payer, id)).toMatchObject({
      status: 'failed',
      failure: { code: 'replaced_by_cancellation', retry_safe: true },
    });
  });
});

it('a batch is not sent on once its wallet is frozen', async () => {
  const payer = await money.payer('ethereum');
  const batches = new Batches(money, payer);
  const { batch_id } = await batches.created(batches.items(16));
  const { ethereum: proxy } = money.proxies;
  const patient = await money.replica({ ROLE: 'api', TRANSFER_CONFIRM_WAIT_SECONDS: '20' });
  await money.withoutTracker(async () => {
    // Each takes 0.3 s.
    proxy.fault = (method) => (method === 'eth_sendRawTransaction' ? 'late' : null);
    try {
      const before = sends();
      const confirmed = batches.confirm(batch_id, {}, patient);
      await eventually(() => Promise.resolve(expect(sends()).toBeGreaterThan(before)));
      await manage(payer, 'wallet', 'freeze');
      const frozen = sends();
      expect((await confirmed).status).toBe(200);
      // The other replica knows it after half a second.
      expect(sends() - frozen).toBeLessThan(4);
      expect(frozen - before).toBeLessThan(12);
    } finally {
      proxy.fault = () => null;
      await patient.stop();
    }
  });
});

it('a freeze of a wallet stops every confirmation that comes after its answer, also those under way elsewhere', async () => {
  const payer = await money.payer('ethereum', 100n);
  const created = await Promise.all(Array.from({ length: 10 }, () => money.created(payer, { source_amount: '0.1' })));
  await money.confirm(payer, created[0].id, {}, replica);
  const racing = Promise.all(
    created.slice(1, 7).map(({ id }, i) => money.confirm(payer, id, {}, i % 2 ? replica : money.app)),
  );
  await manage(payer, 'wallet', 'freeze');
  const attempts = () => observer.rows('select 1 from transfer_attempts where app_id = $1', [payer.app.id]);
  const signed = await attempts();
  for (const { id } of created.slice(7)) expect(outcome(await money.confirm(payer, id, {}, replica))).toEqual(FROZEN);
  for (const answer of await racing) expect([200, 403]).toContain(answer.status);
  expect(await attempts()).toHaveLength(signed.length);
});

describe('the roles', () => {
  const keyOf = async (role: ManagementRole) => {
    const by = { actor: 'cli', requestId: null, ip: null };
    const keys = money.app.nest.get(ManagementKeys, { strict: false });
    return (await keys.create(by, { name: role, role, expiresAt: null })).key;
  };

  it('support may freeze, an operator may thaw, and unknown objects are not found', async () => {
    const payer = await money.payer('ethereum');
    const [auditor, support, operator] = [await keyOf('auditor'), await keyOf('support'), await keyOf('operator')];
    for (const kind of ['user', 'wallet'] as const) {
      expect(outcome(await manage(payer, kind, 'freeze', auditor))).toEqual([403, 'missing_role']);
      expect((await manage(payer, kind, 'freeze', support)).status).toBe(200);
      expect(outcome(await manage(payer, kind, 'thaw', support))).toEqual([403, 'missing_role']);
    }
    const shown = await money.app.call('GET', `/management/v1/apps/${payer.app.id}/users/${payer.userId}`, {
      key: auditor,
    });
    expect(shown.body.freezes).toEqual([
      { id: payer.userId, wallet_id: '', frozen_at: expect.any(Number) },
      { id: payer.walletId, wallet_id: payer.walletId, frozen_at: expect.any(Number) },
    ]);
    const wallet = await money.app.call('GET', `/management/v1/apps/${payer.app.id}/wallets/${payer.walletId}`, {
      key: auditor,
    });
    expect(wallet.body.frozen_at).toBeGreaterThan(0);
    expect((await manage(payer, 'user', 'thaw', operator)).status).toBe(200);
    // The wallet itself is frozen still.
    expect(outcome(await sign(payer))).toEqual(FROZEN);
    expect((await manage(payer, 'wallet', 'thaw', operator)).status).toBe(200);
    expect((await sign(payer)).status).toBe(200);
    const other = { ...payer, app: await money.app.given.app() };
    for (const what of ['freeze', 'thaw']) {
      expect(outcome(await manage(other, 'user', what))).toEqual([404, 'user_not_found']);
      expect(outcome(await manage(other, 'wallet', what))).toEqual([404, 'wallet_not_found']);
    }
  });
});

it('the thaw of a wallet needs an approval where changes of policies do', async () => {
  const policies = await PolicyApp.of(money.app);
  const payer = await money.payer('ethereum', 10n, policies.app);
  const group = await policies.group([await policies.approver()]);
  await money.app.call('PATCH', `/management/v1/apps/${payer.app.id}`, {
    key: MANAGEMENT_KEY,
    body: { policy_change: { group, count: 1 } },
  });
  await manage(payer, 'wallet', 'freeze');
  const asked = await manage(payer, 'wallet', 'thaw');
  expect(outcome(asked)).toEqual([409, 'approval_required']);
  expect(outcome(await sign(payer))).toEqual(FROZEN);
});

describe('the stop of all keys', () => {
  afterEach(thaw);

  it('lets no app sign on any replica as soon as it is stored, and ends without the freezes of apps', async () => {
    const [payer, frozen] = [await money.payer('ethereum'), await money.payer('ethereum')];
    const first = await money.created(payer);
    for (const at of [money.app, replica])
      for (const make of [sign, signTransaction]) expect((await make(payer, at)).status).toBe(200);
    const freeze = `/management/v1/apps/${frozen.app.id}/freeze`;
    expect((await money.app.call('POST', freeze, { key: MANAGEMENT_KEY, body: {} })).status).toBe(200);
    // Without master keys.
    const stopping = cli('freeze --all --reason drill');
    await eventually(async () => expect(await observer.rows('select from service_stops')).toHaveLength(1));
    // Its settings in memory are those of before.
    expect(outcome(await sign(payer, replica))).toEqual(APP_FROZEN);
    const since = await stopping;
    expect(await cli('freeze --all --reason again')).toEqual(since);
    for (const refused of [
      await sign(payer, replica),
      await sign(payer),
      await signTransaction(payer, replica),
      await signTransaction(payer),
      await exported(payer),
      await money.confirm(payer, first.id, {}, replica),
      await money.confirm(payer, first.id),
      await money.create(payer),
    ])
      expect(outcome(refused)).toEqual(APP_FROZEN);
    const later = await money.payer('ethereum');
    expect(outcome(await sign(later))).toEqual(APP_FROZEN);
    expect(await cli('thaw --all', money.env)).toEqual({ thawed: true });
    expect(await cli('thaw --all', money.env)).toEqual({ thawed: false });
    for (const at of [money.app, replica])
      for (const make of [sign, signTransaction])
        await eventually(async () => expect((await make(payer, at)).status).toBe(200));
    expect((await money.confirm(payer, first.id)).status).toBe(200);
    expect(outcome(await sign(frozen))).toEqual(APP_FROZEN);
    const entries = await observer.rows<{ action: string }>(
      `select action from audit_log where app_id = '' and target_id = 'service' order by id`,
    );
    expect(entries.slice(-2).map(({ action }) => action)).toEqual(['service.frozen', 'service.thawed']);
  });

  it('waits for transactions that sign', async () => {
    const payer = await money.payer('ethereum');
    const open = await Observer.of(money.app);
    await open.rows('begin');
    await open.rows('select hold_signing($1, $2)', [payer.app.id, '']);
    let isStopped = false;
    const stopping = stop().then(() => (isStopped = true));
    await eventually(async () => expect(await open.waiting()).toBe(1));
    expect(isStopped).toBe(false);
    await open.rows('commit');
    await stopping;
    await open.close();
  });
});
