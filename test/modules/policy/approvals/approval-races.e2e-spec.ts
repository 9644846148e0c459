import { DomainError } from '../../../../src/kernel/domain-error.js';
import { type AppId, type ApprovalId, newId, type TransferId, type UserId } from '../../../../src/kernel/ids.js';
import { Approvals } from '../../../../src/modules/policy/approvals/application/approvals.js';
import { VoteOnApproval } from '../../../../src/modules/policy/approvals/application/vote.js';
import { challengeFor, type VoteDecision, VOTES } from '../../../../src/modules/policy/approvals/domain/approval.js';
import { hashOf, type Payload } from '../../../../src/modules/policy/rules/domain/payload.js';
import { CancelTransfer } from '../../../../src/modules/transfer/orders/application/cancel-transfer.js';
import { Database } from '../../../../src/postgres/database.js';
import { eventually, untilAvailable } from '../../../support/eventually.js';
import { ETH, Money, newAddress, type Payer } from '../../../support/money.js';
import { Observer } from '../../../support/observer.js';
import { signRows } from '../../../support/row-macs.js';
import { type Holder, ORIGIN, PasskeyApp, RP_ID } from '../../passkey/passkeys.js';
import { asking, PolicyApp } from '../policies.js';

/** All ten thousand races take minutes: APPROVAL_RACES=10000. */
const RACES = Number(process.env['APPROVAL_RACES'] ?? 200);
const SEED = Number(process.env['APPROVAL_RACES_SEED'] ?? 1);
const APPS = 4;
const BATCH = 200;
const AT_ONCE = 25;
const APPROVERS = 8;
const AMOUNT = ETH / 1_000n;
const BY = { actor: 'cli', requestId: null, ip: null };
const ACTIONS = ['approve', 'reject', 'expire', 'cancel'] as const;

let money: Money;
let observer: Observer;
beforeAll(async () => {
  money = await Money.start({ env: { TRANSFER_CONFIRM_WAIT_SECONDS: '0', DATABASE_POOL_SIZE: '30' } });
  observer = await Observer.of(money.app);
});
afterAll(async () => {
  await observer?.close();
  await money?.stop();
});

/** A pseudo-random number from 0 up to 1, the same sequence for a seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A transfer that awaits its approval. */
interface Contest {
  readonly transferId: TransferId;
  readonly approvalId: ApprovalId;
}

/** An app whose transfers need one of eight approvers. */
class Contested {
  private constructor(
    private readonly policies: PolicyApp,
    private readonly payer: Payer,
    private readonly approvers: readonly Holder[],
    readonly dest: string,
  ) {}

  static async of(): Promise<Contested> {
    const webauthn = { rp_id: RP_ID, origins: [ORIGIN] };
    const app = await money.app.given.app({ default_wallet_type: 'none', webauthn });
    const passkeys = PasskeyApp.at(money.app, app);
    const approvers = await Promise.all(Array.from({ length: APPROVERS }, () => passkeys.holder()));
    const policies = PolicyApp.at(money.app, app);
    const group = await policies.group(approvers.map(({ userId }) => userId));
    const match = { operations: ['transfer'], assets: ['ethereum'] };
    const windows = [{ seconds: 3_600, max_amount: '1000' }];
    await policies.activate(await policies.version({ rules: [{ ...asking(group), match, windows }] }));
    return new Contested(policies, await money.payer('ethereum', 10_000n, app), approvers, newAddress('ethereum'));
  }

  get appId(): AppId {
    return this.policies.app.id as AppId;
  }

  /** Transfers that await approvals: copies of one that was confirmed, because ten thousand confirmations would take most of the time. */
  async awaiting(count: number): Promise<Contest[]> {
    const { id, approval } = await this.template();
    const [{ payload }] = (await observer.rows('select payload from approvals where id = $1', [approval])) as [
      { payload: Payload },
    ];
    const contests = Array.from({ length: count }, () => {
      const [transferId, approvalId] = [newId('transfer'), newId('approval')];
      const copied = { ...payload, transfer_id: transferId };
      return { transferId, approvalId, payload: copied, payloadHash: hashOf(copied) };
    });
    const copy = (table: string, of: string, patches: readonly object[]) =>
      observer.rows(
        `insert into ${table} select (jsonb_populate_record(t, patch)).*
           from ${table} t, jsonb_array_elements($3) patch where t.app_id = $1 and t.${of} = $2`,
        [this.appId, of === 'id' && table === 'approvals' ? approval : id, JSON.stringify(patches)],
      );
    await observer.rows('begin');
    await copy(
      'spend_events',
      'operation_id',
      contests.map(({ transferId }) => ({ operation_id: transferId })),
    );
    await copy(
      'transfers',
      'id',
      contests.map(({ transferId, approvalId }) => ({ id: transferId, approval_id: approvalId })),
    );
    await copy(
      'approvals',
      'id',
      contests.map(({ transferId, approvalId, payload, payloadHash }) => ({
        id: approvalId,
        operation_id: transferId,
        payload,
        payload_hash: payloadHash,
      })),
    );
    // The copied events are not in the sums, which are made anew from all events.
    await observer.rows('delete from spend_sums where app_id = $1', [this.appId]);
    await observer.rows('commit');
    for (const table of ['spend_events', 'transfers', 'approvals']) await signRows(money.app, table);
    return contests;
  }

  /** Ends the transfer that was copied. */
  async close(): Promise<void> {
    if (this.copied) await money.app.nest.get(CancelTransfer, { strict: false }).execute(this.appId, this.copied.id);
  }

  /** Runs several actions simultaneously on one transfer, and returns the errors of those that lost. */
  async race({ transferId, approvalId }: Contest, random: () => number): Promise<string[]> {
    const the = <T>(type: abstract new (...args: never[]) => T): T => money.app.nest.get(type, { strict: false });
    // Drawn before the first wait, so that the numbers do not depend on the order of the responses.
    const first = Math.floor(random() * APPROVERS);
    const chosen = ACTIONS.toSorted(() => random() - 0.5).slice(0, 2 + Math.floor(random() * 3));
    const seen = await the(Approvals).get(this.appId, approvalId);
    const vote = (decision: VoteDecision) => {
      const { userId, authenticator } = this.approvers[(first + VOTES.indexOf(decision)) % APPROVERS]!;
      const challenge = challengeFor(seen, userId as UserId, decision);
      const ballot = { userId: userId as UserId, decision, credential: authenticator.get({ challenge, rpId: RP_ID }) };
      return the(VoteOnApproval).execute(BY, this.appId, approvalId, ballot);
    };
    const actions: Record<(typeof ACTIONS)[number], () => Promise<unknown>> = {
      approve: () => vote('approve'),
      reject: () => vote('reject'),
      cancel: () => the(CancelTransfer).execute(this.appId, transferId),
      expire: async () => {
        await the(Database).write('update approvals set expires_at = now() where app_id = $1 and id = $2', [
          this.appId,
          approvalId,
        ]);
        await the(Approvals).get(this.appId, approvalId);
      },
    };
    const results = await Promise.allSettled(chosen.map((action) => untilAvailable(actions[action])));
    return results.flatMap((result) => (result.status === 'fulfilled' ? [] : [codeOf(result.reason)]));
  }

  private copied: { readonly id: TransferId; readonly approval: ApprovalId } | null = null;

  private async template() {
    if (this.copied) return this.copied;
    const { id } = await money.created(this.payer, { dest: this.dest, source_amount: '0.001' });
    const { body, text } = await money.confirm(this.payer, id);
    if (body.status !== 'awaiting_approval') throw new Error(text);
    return (this.copied = { id, approval: body.approval_id });
  }
}

/** The code of a refusal; for another error its message. */
function codeOf(error: unknown): string {
  return error instanceof DomainError ? error.code : String(error);
}

const open = () =>
  observer.rows(
    `select t.id, t.status, t.stage, t.stuck_reason, a.state, a.reason, a.expires_at < now() as is_due
       from transfers t join approvals a on a.app_id = t.app_id and a.id = t.approval_id
      where t.status in ('unconfirmed', 'awaiting_approval', 'pending')`,
  );

it(
  `after ${RACES} races of votes, expiries and cancellations each approval has one end and its transfer agrees`,
  async () => {
    const apps = await Promise.all(Array.from({ length: APPS }, () => Contested.of()));
    const random = randomFrom(SEED);
    const refusals = new Set<string>();
    for (let begun = 0; begun < RACES; begun += BATCH) {
      const each = Math.min(BATCH, RACES - begun) / APPS;
      const contests: (() => Promise<string[]>)[] = [];
      for (const app of apps)
        for (const contest of await app.awaiting(each)) contests.push(() => app.race(contest, random));
      for (let i = 0; i < contests.length; i += AT_ONCE) {
        const lost = await Promise.all(contests.slice(i, i + AT_ONCE).map((race) => race()));
        for (const code of lost.flat()) refusals.add(code);
      }
    }
    for (const app of apps) await app.close();
    // A race that is lost is refused as such, and no call fails.
    expect([...refusals].filter((code) => !/^(approval_ended|already_voted|transfer_\w+)$/.test(code))).toEqual([]);

    // Each pass waits until fewer transfers are open, so that many have the time that they need.
    for (let before = Infinity, left = (await open()).length; left > 0 && left <= before; before = left) {
      await eventually(async () => {
        left = (await open()).length;
        if (left > 0 && left >= before) throw new Error(JSON.stringify(await open()));
      });
    }
    expect(await open()).toEqual([]);
    const ends = await observer.rows<{ state: string; status: string; ends: number; approvals: number; races: number }>(
      `select a.state, t.status, count(*)::int as races,
              (select count(*)::int from stored_events e where e.app_id = a.app_id and e.data->>'approval_id' = a.id
                and e.type in ('approval.rejected', 'approval.expired', 'approval.voided')) as ends,
              (select count(*)::int from stored_events e where e.app_id = a.app_id and e.data->>'approval_id' = a.id
                and e.type = 'approval.approved') as approvals
         from approvals a join transfers t on t.app_id = a.app_id and t.id = a.operation_id
        group by 1, 2, 4, 5`,
    );
    const known = ends.filter(({ state, status, ends: ended, approvals }) => {
      if (state === 'executed') return ended === 0 && approvals === 1 && ['completed', 'cancelled'].includes(status);
      if (state === 'void') return ended === 1 && approvals <= 1 && status === 'cancelled';
      return ended === 1 && approvals === 0 && state === status;
    });
    expect(known).toEqual(ends);
    // The transfers that were copied are cancelled.
    expect(ends.reduce((sum, { races }) => sum + races, 0)).toBe(RACES + APPS);
    expect(new Set(ends.map(({ state }) => state))).toEqual(new Set(['executed', 'rejected', 'expired', 'void']));

    const signed = await observer.rows<{ state: string; payments: number }>(
      `select a.state, (select count(*)::int from transfer_attempts s
                         where s.app_id = a.app_id and s.transfer_id = a.operation_id and s.kind = 'payment') as payments
         from approvals a group by 1, 2`,
    );
    expect(signed.filter(({ state, payments }) => payments !== (state === 'executed' ? 1 : 0))).toEqual([]);
    expect(await observer.rows('select operation_id from spend_events where is_held')).toEqual([]);
    for (const { appId, dest } of apps) {
      const paid = await observer.rows(`select id from transfers where app_id = $1 and status = 'completed'`, [appId]);
      expect(await money.balance('ethereum', dest)).toBe(BigInt(paid.length) * AMOUNT);
    }
  },
  60_000 + RACES * 500,
);
