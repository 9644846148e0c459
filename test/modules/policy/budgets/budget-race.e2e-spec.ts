import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { parseEther } from 'ethers';
import { Replica } from '../../../chaos/replica.js';
import { ensureBuilt } from '../../../support/built.js';
import { eventually } from '../../../support/eventually.js';
import type { GivenApp } from '../../../support/given.js';
import { Money, newAddress, type Payer } from '../../../support/money.js';
import { Observer } from '../../../support/observer.js';
import { areAllCasesRun, isInRotation } from '../../../support/sampled.js';
import { assertBudgetsKept, historyOf } from '../budget-history.js';
import { type Fields, PolicyApp } from '../policies.js';

const KILL_POINTS = pathToFileURL(resolve('test/chaos/payments/kill-points.mjs')).href;

/** `BUDGET_RACE=10000` makes the race longer. */
const CONFIRMATIONS = Number(process.env['BUDGET_RACE'] ?? (areAllCasesRun ? 1_000 : 400));
const LIMIT = 137;
const UNIT = '0.01';
const WALLETS = 20;
/** `BUDGET_PAUSE_SECONDS=70` stops a replica for longer than the shortest window. */
const PAUSE_SECONDS = Number(process.env['BUDGET_PAUSE_SECONDS'] ?? 3);

let money: Money;
let replicas: readonly [Replica, Replica];
let observer: Observer;

beforeAll(async () => {
  await ensureBuilt();
  // Only the replicas confirm and track.
  money = await Money.start({ env: { ROLE: 'api', TRANSFER_CONFIRM_WAIT_SECONDS: '0' } });
  const env = { NODE_ENV: 'test', ...money.env, ROLE: 'all', DATABASE_URL: money.app.databaseUrl };
  replicas = [
    new Replica({ ...env, PUBLIC_RATE: '100000' }, KILL_POINTS),
    new Replica({ ...env, PUBLIC_RATE: '100000' }, KILL_POINTS),
  ];
  observer = await Observer.of(money.app);
  await Promise.all(replicas.map((replica) => replica.start()));
});
afterAll(async () => {
  replicas?.forEach((replica) => replica.resume());
  await Promise.all(replicas?.map((replica) => replica.kill()) ?? []);
  await observer?.close();
  await money?.stop();
});

interface Outcome {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** An app that may pay this many units in an hour, and a payment address. */
class Budget {
  readonly dest = newAddress('ethereum');

  private constructor(
    readonly app: GivenApp,
    readonly payers: readonly Payer[],
  ) {}

  static async of(units: number, wallets = 1, seconds = 3_600): Promise<Budget> {
    const app = await money.app.given.app();
    const payers = await Promise.all(Array.from({ length: wallets }, () => money.payer('ethereum', 1_000n, app)));
    const match = { operations: ['transfer'], assets: ['ethereum'] };
    const windows = [{ seconds, max_amount: (units / 100).toFixed(2) }];
    const rules: Fields[] = [{ id: 'pays', effect: 'allow', match, windows }];
    const policies = PolicyApp.at(money.app, app);
    await policies.activate(await policies.version({ rules }));
    return new Budget(app, payers);
  }

  async created(payer = this.payers[0]!): Promise<string> {
    const { id } = await money.created(payer, { source_amount: UNIT, dest: this.dest });
    return id as string;
  }

  /** Null if there was no response. */
  async confirm(id: string, replica: Replica): Promise<Outcome | null> {
    try {
      const response = await fetch(`${replica.url}/v1/transfers/${id}/confirm`, {
        method: 'POST',
        headers: { authorization: `Bearer ${this.app.secretKey}`, 'content-type': 'application/json' },
        body: '{}',
      });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    } catch {
      return null;
    }
  }

  /** Repeats the call while the service is busy, as a client does. */
  async insist(id: string, replica: Replica): Promise<Outcome> {
    for (;;) {
      const answer = await this.confirm(id, replica);
      if (answer && answer.status !== 503 && answer.status !== 429) return answer;
      await sleep(100);
    }
  }
}

/** All confirmed payments are completed, the chain has exactly these, and the committed rows show no fault. */
async function expectSpent({ app, dest }: Budget, units: number): Promise<void> {
  await eventually(async () => {
    await money.look();
    const open = await observer.rows(
      `select id, status, stage from transfers where app_id = $1 and status in ('pending', 'awaiting_approval')`,
      [app.id],
    );
    expect(open).toEqual([]);
  });
  const history = await historyOf((sql, parameters) => observer.rows(sql, parameters), app.id);
  assertBudgetsKept(history, PAUSE_SECONDS + 10);
  expect(history.spends.filter(({ releasedAt, isHeld }) => releasedAt === null && !isHeld)).toHaveLength(units);
  expect(await money.anvil.balance(dest)).toBe(BigInt(units) * parseEther(UNIT));
}

const outcomeOf = ({ status, body }: Outcome): string =>
  status === 200 ? '200' : [status, body['error_type'], body['reason']].join(' ');

function counted(values: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}

const DENIED = '403 policy_denied window_amount';

/** Each hit restarts a replica or waits for it, which takes seconds. */
const KILLED_AT = [
  'before-locks',
  'after-locks',
  'after-decision',
  'after-commit',
  'after-send',
  'settling',
  'settled',
].filter((_, index) => isInRotation(index));
const STOPPED_AT = ['after-locks', 'after-decision', 'after-commit', 'after-send'].filter((_, index) =>
  isInRotation(index),
);

it(`${CONFIRMATIONS} simultaneous confirmations on two replicas spend exactly ${LIMIT} units`, async () => {
  const budget = await Budget.of(LIMIT, WALLETS);
  // A thousand connections at once would exceed the backlog of the listening socket.
  const ids: string[] = [];
  while (ids.length < CONFIRMATIONS)
    ids.push(...(await Promise.all(budget.payers.map((payer) => budget.created(payer)))));
  // All connections of both replicas wait for the windows, and then go on together.
  const answers = await observer.together(
    'spend_windows',
    ids.map((id, i) => () => budget.insist(id, replicas[i % 2]!)),
  );
  expect(counted(answers.map(outcomeOf))).toEqual({ '200': LIMIT, [DENIED]: CONFIRMATIONS - LIMIT });
  await expectSpent(budget, LIMIT);
});

describe('a replica that is killed', () => {
  it.each(KILLED_AT)('at %s has spent what its confirmation spends, once', async (place) => {
    const [killed, other] = replicas;
    const budget = await Budget.of(2);
    const [first, second, third] = [await budget.created(), await budget.created(), await budget.created()];
    // Either replica may settle a payment.
    if (place.startsWith('settl')) await other.pause();
    const hit = killed.arm(place, '');
    await budget.confirm(first, killed);
    expect((await hit).msg).toBe('killed');
    other.resume();
    const restarted = killed.start();
    const answers = [
      await budget.insist(first, other),
      await budget.insist(second, other),
      await budget.insist(third, other),
    ];
    expect(answers.map(outcomeOf)).toEqual(['200', '200', DENIED]);
    await restarted;
    await expectSpent(budget, 2);
  });
});

describe('a replica that is stopped', () => {
  it.each(STOPPED_AT)('at %s and goes on later spends nothing more', async (place) => {
    const [stopped, other] = replicas;
    const budget = await Budget.of(2, 1, 60);
    const [first, second, third] = [await budget.created(), await budget.created(), await budget.created()];
    const hit = stopped.arm(place, 'stop');
    const late = budget.confirm(first, stopped);
    expect((await hit).msg).toBe('stopped');
    expect([await budget.insist(second, other), await budget.insist(first, other)].map(outcomeOf)).toEqual([
      '200',
      '200',
    ]);
    expect(outcomeOf(await budget.insist(third, other))).toBe(DENIED);
    await sleep(PAUSE_SECONDS * 1_000);
    stopped.resume();
    // Its transaction is gone if it had not committed.
    expect((await late)?.status).toBe(place === 'after-commit' || place === 'after-send' ? 200 : 503);
    await expectSpent(budget, 2);
  });
});
