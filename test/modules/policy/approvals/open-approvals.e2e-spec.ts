import { Client } from 'pg';
import type { AppId } from '../../../../src/kernel/ids.js';
import { Approvals } from '../../../../src/modules/policy/approvals/application/approvals.js';
import {
  AwaitingTransfers,
  type AwaitingTransfersKeeper,
} from '../../../../src/modules/policy/approvals/application/awaiting-transfers.js';
import { type Answer, startApp, type TestApp } from '../../../support/app.js';
import { Observer } from '../../../support/observer.js';
import { nodesOf, planOf } from '../../../support/plans.js';
import { statementsOf } from '../../../support/statements.js';
import { type Holder, PasskeyApp, refusal } from '../../passkey/passkeys.js';
import { asking, PolicyApp } from '../policies.js';
import { signRows } from '../../../support/row-macs.js';

let app: TestApp;
let observer: Observer;
beforeAll(async () => {
  app = await startApp({ env: { ROLE: 'api' } });
  observer = await Observer.of(app);
});
afterAll(async () => {
  await observer?.close();
  await app?.stop();
});

/** An app with a wallet whose signatures need the approval of one of two users. */
class Signer {
  private constructor(
    readonly policies: PolicyApp,
    readonly holders: readonly [Holder, Holder],
    readonly group: string,
    readonly wallet: string,
  ) {}

  static async of(): Promise<Signer> {
    const policies = await PolicyApp.of(app);
    const passkeys = PasskeyApp.at(app, policies.app);
    const holders = await Promise.all([passkeys.holder(), passkeys.holder()]);
    const group = await policies.group(holders.map(({ userId }) => userId));
    await policies.activate(await policies.version({ rules: [asking(group)] }));
    const { user_id } = await app.given.user(policies.app, { wallet_type: 'ethereum' });
    const key = policies.app.secretKey;
    const { body } = await app.call('GET', '/v1/wallets/list', { key, query: { user_id } });
    return new Signer(policies, holders, group, body.wallets[0].id);
  }

  get appId(): AppId {
    return this.policies.app.id as AppId;
  }

  sign(message: string): Promise<Answer> {
    const key = this.policies.app.secretKey;
    return app.call('POST', `/v1/wallets/${this.wallet}/sign_message`, { key, body: { message } });
  }

  async asked(message: string): Promise<string> {
    const refused = await this.sign(message);
    if (refused.body.error_type !== 'approval_required') throw new Error(refused.text);
    return refused.body['approval_id'] as string;
  }

  /** Stores `count` copies of an approval, with other payloads. Each copy is older than approvals that are requested later. */
  async copies(id: string, count: number, changes = ''): Promise<void> {
    await observer.rows(
      `insert into approvals
       select (jsonb_populate_record(a, jsonb_build_object('id', 'appr_00' || lpad(i::text, 24, '0'), 'operation_id', 'op' || i) || $3)).*
         from approvals a, generate_series(1, $2) i where a.id = $1`,
      [id, count, changes || '{}'],
    );
    await signRows(app, 'approvals');
  }

  async open(): Promise<number> {
    const sql = `select 1 from approvals where app_id = $1 and state in ('waiting', 'approved')`;
    return (await observer.rows(sql, [this.appId])).length;
  }
}

describe('a vote', () => {
  it('of a member whom an operator removes at the same time comes before the removal', async () => {
    const signer = await Signer.of();
    const { policies, holders, group } = signer;
    const approval = await signer.asked('Hello');
    const [voter, remaining] = holders;
    const vote = { user_id: voter.userId, public_key_credential: await policies.assertion(approval, voter, 'reject') };
    await observer.rows('begin');
    await observer.rows('select from users where app_id = $1 and id = $2 for update', [signer.appId, voter.userId]);
    const voted = policies.manage('POST', `/approvals/${approval}/reject`, vote);
    await observer.untilWaiting('users', () => 1);
    let isRemoved = false;
    const removal = policies
      .manage('PATCH', `/approver_groups/${group}`, { members: [{ user_id: remaining.userId }] })
      .finally(() => (isRemoved = true));
    await observer.untilWaiting('apps', () => (isRemoved ? 0 : 1));
    expect(isRemoved).toBe(false);
    await observer.rows('commit');
    expect((await voted).body.state).toBe('rejected');
    expect((await removal).status).toBe(200);
  });
});

describe('approvals that must end', () => {
  const PROOF = { serverStartedAt: new Date() };
  let approvals: Approvals;
  beforeAll(() => {
    approvals = app.nest.get(Approvals, { strict: false });
  });

  /** Replaces the module of transfers. */
  const keeping = (transfers: Pick<AwaitingTransfersKeeper, 'provenUnpaid' | 'end'>): void => {
    const [lock, approve] = [async () => undefined, async () => undefined];
    app.nest.get(AwaitingTransfers, { strict: false }).register({ ...transfers, lock, approve });
  };

  /** Replaces it by one in which the transfers with these ids do not end. */
  const refusing = (refuses: (id: string) => boolean): void =>
    keeping({ provenUnpaid: async () => PROOF, end: async (_, id) => !refuses(id) });

  const due = async ({ appId }: Signer) =>
    (await observer.rows('select 1 from approvals where app_id = $1 and ended_at is null', [appId])).length;

  const expire = (signer: Signer) =>
    observer.rows(`update approvals set expires_at = now() - interval '1 hour' where app_id = $1`, [signer.appId]);

  it('end behind hundreds of earlier ones whose transfers cannot end', async () => {
    const signer = await Signer.of();
    const last = await signer.asked('Hello');
    await signer.copies(last, 250, '{"operation": "transfer"}');
    await expire(signer);
    refusing(() => true);
    await approvals.endDue();
    expect(await signer.policies.approval(last)).toMatchObject({ state: 'expired' });
    expect([await signer.open(), await due(signer)]).toEqual([0, 250]);
    const published = () =>
      observer.rows(`select 1 from stored_events where app_id = $1 and type = 'approval.expired'`, [signer.appId]);
    expect(await published()).toHaveLength(251);
    refusing(() => false);
    await approvals.endDueOf(signer.appId);
    expect(await due(signer)).toBe(0);
    expect(await published()).toHaveLength(251);
  });

  it('end in the same pass if the chains of many before them prove nothing, of which each pass asks a few', async () => {
    const signers = [await Signer.of(), await Signer.of()].toSorted((a, b) => (a.appId < b.appId ? -1 : 1));
    const [hung, quick] = signers as [Signer, Signer];
    await hung.copies(await hung.asked('Hello'), 12, '{"operation": "transfer"}');
    await quick.copies(await quick.asked('Hello'), 1, '{"operation": "transfer"}');
    await Promise.all(signers.map(expire));
    const asked: string[] = [];
    let isHung = true;
    keeping({
      provenUnpaid: async (appId, id) => {
        asked.push(`${appId} ${id}`);
        return isHung && appId !== quick.appId ? null : PROOF;
      },
      end: async (_appId, _id, { proof }) => proof !== null,
    });
    const ofHung = () => new Set(asked.filter((each) => each.startsWith(hung.appId))).size;
    await approvals.endDue();
    expect([ofHung(), await due(hung), await due(quick)]).toEqual([5, 12, 0]);
    await approvals.endDue();
    await approvals.endDue();
    expect([ofHung(), asked.length]).toEqual([12, 13]);
    await approvals.endDueOf(hung.appId);
    expect(asked).toHaveLength(18);
    isHung = false;
    await approvals.endDue();
    expect(await due(hung)).toBe(0);
  });

  it('end in the next pass if one before them fails', async () => {
    const signer = await Signer.of();
    const last = await signer.asked('Hello');
    await signer.copies(last, 10, '{"operation": "transfer"}');
    await expire(signer);
    refusing((id) => {
      if (id === 'op3') throw new Error('It fails always.');
      return false;
    });
    await expect(approvals.endDue()).rejects.toThrow('It fails always.');
    await approvals.endDue();
    expect(await signer.open()).toBe(1);
    refusing(() => false);
    await approvals.endDue();
    expect(await signer.open()).toBe(0);
  });
});

describe('the open approvals of an app', () => {
  it('are at most a thousand; a further request is refused, stores nothing and leaves them as they are', async () => {
    const [signer, another] = [await Signer.of(), await Signer.of()];
    const { policies, holders } = signer;
    const first = await signer.asked('First');
    await signer.copies(first, 998);
    const last = await signer.asked('Last');
    expect(refusal(await signer.sign('One more'))).toEqual([409, 'too_many_approvals']);
    expect(await signer.open()).toBe(1_000);
    expect(await signer.asked('First')).toBe(first);
    expect(await signer.asked('Last')).toBe(last);
    await another.asked('One more');
    // Changes of policies have a bound of their own, or a key could hinder them.
    await policies.manage('PATCH', '', { policy_change: { group: signer.group, count: 1 } });
    const activated = await policies.activate(await policies.version());
    expect(refusal(activated)).toEqual([409, 'approval_required']);
    await policies.vote(first, holders[0], 'reject');
    await signer.asked('One more');
    expect(refusal(await signer.sign('Another one'))).toEqual([409, 'too_many_approvals']);
  });

  it('are found without reading those that have ended', async () => {
    const signer = await Signer.of();
    const { policies, holders } = signer;
    const ended = await signer.asked('Ended');
    await policies.vote(ended, holders[0], 'reject');
    await signer.copies(ended, 5_000);
    await signer.asked('Open');
    await observer.rows('analyze approvals');
    const sent = await statementsOf(() => app.nest.get(Approvals).endDue());
    const search = sent.find(({ text }) => text.includes('ended_at is null'))!;
    // By another index all entries of all apps would be searched for those without an end, which counts as no rows read.
    const indexes = nodesOf(await planOf(app, search)).map((node) => node['Index Name']);
    expect(indexes).toContain('approvals_not_ended');
  });

  it('for changes of policies are at most a thousand, too', async () => {
    const signer = await Signer.of();
    const { policies } = signer;
    await policies.manage('PATCH', '', { policy_change: { group: signer.group, count: 1 } });
    const [one, two] = [await policies.version({ name: 'One' }), await policies.version({ name: 'Two' })];
    const { body } = await policies.activate(one);
    await signer.copies(body['approval_id'] as string, 999);
    expect(refusal(await policies.activate(two))).toEqual([409, 'too_many_approvals']);
    expect((await policies.activate(one)).body['approval_id']).toBe(body['approval_id']);
    await signer.asked('Hello');
  });
});

it('the end of a policy waits for no other transaction of the app that ends approvals', async () => {
  const policies = await PolicyApp.of(app);
  const [first, second] = [await policies.version({ name: 'One' }), await policies.version({ name: 'Two' })];
  for (const id of [first, second]) await policies.activate(id);
  await policies.retire(first);
  const other = new Client({ connectionString: app.databaseUrl });
  await other.connect();
  try {
    await other.query('begin');
    await other.query(`select from jobs where app_id = $1 and kind = 'policy.end-approvals' for update`, [
      policies.app.id,
    ]);
    expect((await policies.retire(second)).status).toBe(200);
  } finally {
    await other.end();
  }
});
