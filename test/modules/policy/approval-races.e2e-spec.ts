import { challengeFor, type VoteDecision } from '../../../src/modules/policy/domain/approval.js';
import { eventually } from '../../support/eventually.js';
import { ETH, Money, newAddress, type Payer } from '../../support/money.js';
import { Observer } from '../../support/observer.js';
import { type Holder, ORIGIN, PasskeyApp, RP_ID } from '../passkey/passkeys.js';
import { asking, PolicyApp } from './policies.js';

/** All ten thousand races take minutes: APPROVAL_RACES=10000. */
const RACES = Number(process.env['APPROVAL_RACES'] ?? 200);
const SEED = Number(process.env['APPROVAL_RACES_SEED'] ?? 1);
const APPS = 4;
const AT_ONCE = 20;
const APPROVERS = 8;
const AMOUNT = ETH / 1_000n;
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

  get appId(): string {
    return this.policies.app.id;
  }

  /** Runs several actions on one transfer that awaits an approval, and returns the outcomes that are no success. */
  async race(random: () => number): Promise<string[]> {
    const { id } = await money.created(this.payer, { dest: this.dest, source_amount: '0.001' });
    const confirmed = await money.confirm(this.payer, id);
    if (confirmed.body.status !== 'awaiting_approval') throw new Error(confirmed.text);
    const approval = confirmed.body.approval_id as string;
    const shown = await this.policies.approval(approval);
    const actions = ACTIONS.toSorted(() => random() - 0.5).slice(0, 2 + Math.floor(random() * 3));
    const first = Math.floor(random() * APPROVERS);
    const calls = actions.map((action) => {
      if (action === 'cancel')
        return () =>
          money.app.call('POST', `/v1/transfers/${id}/cancel`, { key: this.policies.app.secretKey, body: {} });
      if (action === 'expire')
        return async () => {
          await observer.rows('update approvals set expires_at = now() where id = $1', [approval]);
          return this.policies.manage('GET', `/approvals/${approval}`);
        };
      const voter = this.approvers[(first + (action === 'reject' ? 1 : 0)) % APPROVERS]!;
      return () => this.vote(shown, voter, action);
    });
    const answers = await Promise.all(calls.map((call) => call()));
    return answers.flatMap(({ status, body }) => (status === 200 ? [] : [`${status} ${body.error_type}`]));
  }

  private vote(
    shown: { id: string; payload_hash: string; policy_id: string; version: number },
    { userId, authenticator }: Holder,
    decision: VoteDecision,
  ) {
    const { id, payload_hash: payloadHash, policy_id: policyId, version } = shown;
    const approval = { appId: this.appId, id, payloadHash, policyId, version } as Parameters<typeof challengeFor>[0];
    const challenge = challengeFor(approval, userId as Parameters<typeof challengeFor>[1], decision);
    const public_key_credential = authenticator.get({ challenge, rpId: RP_ID });
    return this.policies.manage('POST', `/approvals/${id}/${decision}`, { user_id: userId, public_key_credential });
  }
}

const open = () =>
  observer.rows(`select id from transfers where status in ('unconfirmed', 'awaiting_approval', 'pending')`);

it(
  `after ${RACES} races of votes, expiries and cancellations each approval has one end and its transfer agrees`,
  async () => {
    const apps = await Promise.all(Array.from({ length: APPS }, () => Contested.of()));
    const random = randomFrom(SEED);
    const refusals = new Set<string>();
    for (let begun = 0; begun < RACES; begun += AT_ONCE) {
      const batch = Array.from({ length: Math.min(AT_ONCE, RACES - begun) }, (_, i) => apps[i % APPS]!.race(random));
      for (const each of (await Promise.all(batch)).flat()) refusals.add(each);
    }
    // Each pass waits until fewer transfers are open, so that many have the time that they need.
    for (let before = Infinity, left = (await open()).length; left > 0 && left <= before; before = left) {
      await eventually(async () => {
        left = (await open()).length;
        if (left > 0 && left >= before) throw new Error(`${left} transfers are open.`);
      });
    }
    expect(await open()).toEqual([]);
    // A race that is lost is refused as such, and no call fails.
    expect([...refusals].filter((each) => !/^409 (approval_ended|transfer_\w+|already_voted)$/.test(each))).toEqual([]);

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
    expect(ends.reduce((sum, { races }) => sum + races, 0)).toBe(RACES);
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
