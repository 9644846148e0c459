import { type ChildProcess, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { seededRandom } from '../../support/machine-pool.js';
import { CrashingPostgres } from '../postgres.js';
import { Replica } from '../replica.js';
import { AppClient, Endpoint } from './endpoints.js';
import { type Comparison, Ledger, readStored } from './ledger.js';
import { type EventChaosSettings, type Place, PLACES } from './settings.js';
import { Traffic } from './traffic.js';

const MANAGEMENT_KEY = `mk_${'chaos'.repeat(8)}`;
const KILL_POINTS = pathToFileURL(resolve('test/chaos/events/kill-points.mjs')).href;
/** Of the pauses between attempts, which are up to a day. */
const LONGEST_PAUSE_MS = 1_000;
const HASTEN_MS = 300;
const NUDGE_MS = 300;
/** Looks without progress, after which what is left counts as stuck: at least five minutes, on a slow machine more. */
const STUCK_AFTER_LOOKS = 1_500;
const LOOKS_PER_LINE = 25;
const MOST_STARTS = 120;
/** The service reads the start of the range in whole seconds. */
const RECOVER_MARGIN_SECONDS = 5;

/** The order is kept: a delivery that waits for its predecessor is moved behind it again. */
const HASTEN = `
  with late as (
    select app_id, endpoint_id, id from webhook_queue
     where due_at > now() + make_interval(secs => $1) and (leased_until is null or leased_until <= now()) limit 2000
       for update skip locked)
  update webhook_queue q set due_at = now() + make_interval(secs => $1 * random())
    from late l where q.app_id = l.app_id and q.endpoint_id = l.endpoint_id and q.id = l.id`;
/** An endpoint with many failures is probed after a pause too. */
const HASTEN_PROBES = `
  update webhook_health h set probe_at = now()
   where probe_at > now() + make_interval(secs => $1)
     and not exists (select from webhook_queue q
                      where q.app_id = h.app_id and q.endpoint_id = h.endpoint_id and q.leased_until > now())`;

export interface EventChaosReport extends Comparison {
  readonly seed: number;
  readonly changes: number;
  readonly hits: Readonly<Record<string, number>>;
  readonly kills: number;
  /** The deliveries that the killed processes had claimed and not recorded, together. */
  readonly inFlight: number;
  readonly seconds: number;
}

/**
 * Users are changed while processes are killed at every place where an event or a delivery could be lost, and the receiver answers with
 * faults. Afterwards everything that was committed is compared with the journal of the receiver.
 */
export async function runEventChaos(settings: EventChaosSettings): Promise<EventChaosReport> {
  const run = new EventChaos(settings);
  try {
    return await run.run();
  } finally {
    await run.stop();
  }
}

/** Whether every event was delivered as promised. */
export function isGreen({ faults, duplicates, inFlight, unanswered }: EventChaosReport): boolean {
  return Object.values(faults).every((count) => count === 0) && duplicates <= inFlight + unanswered;
}

/** For people. */
export function summary(report: EventChaosReport): string {
  const { seed, events, deliveries, requests, answers, duplicates, inFlight, unanswered, kills, hits, faults } = report;
  return [
    `${isGreen(report) ? 'green' : 'RED'}: seed ${seed}, ${report.seconds} s, ${report.changes} confirmed changes`,
    `  events ${events}, delivered ${deliveries}, requests ${requests}: ${JSON.stringify(answers)}`,
    `  kills and cuts ${kills}: ${JSON.stringify(hits)}`,
    `  duplicates ${duplicates} <= ${inFlight} in flight at kills + ${unanswered} accepted and not answered in time`,
    `  ${Object.entries(faults)
      .map(([fault, count]) => `${fault} ${count}`)
      .join(', ')}`,
    ...report.examples.map((example) => `  ${example}`),
  ].join('\n');
}

class EventChaos {
  private readonly random: () => number;
  private readonly started = performance.now();
  private readonly hits: Record<string, number> = {};
  private readonly busy = new Set<Replica>();
  private inFlight = 0;
  private made = 0;
  private isOver = false;
  private background: Promise<unknown> = Promise.resolve();
  private directory!: string;
  private postgres!: CrashingPostgres;
  private receiver!: ChildProcess;
  private replicas: { readonly role: string; readonly process: Replica }[] = [];
  private client!: AppClient;
  private traffic!: Traffic;
  private endpoints!: Record<'ordered' | 'created' | 'gone', Endpoint>;

  constructor(private readonly settings: EventChaosSettings) {
    this.random = seededRandom(settings.seed);
  }

  async run(): Promise<EventChaosReport> {
    const { seed, events, rounds, clients, lanes, users } = this.settings;
    const first = await this.prepare();
    this.background = this.hastenAll();
    const places = Array.from({ length: rounds }, (_, round) => PLACES.map((place) => ({ place, round }))).flat();
    const total = places.length;
    this.traffic = new Traffic(this.client, this.random, { users });
    // So that there is traffic at every place, and no more of it than asked for.
    this.traffic.start(clients, () => (events * (this.made + 1)) / total);
    await Promise.race([this.background, Promise.all(Array.from({ length: lanes }, () => this.hitAll(places)))]);
    while (this.traffic.changes < events) await sleep(100);
    await this.traffic.stop();
    this.settings.log(`${this.seconds} s: ${this.traffic.changes} changes and ${this.made} kills made; waiting`);
    await Promise.race([this.background, this.settle()]);
    const ledger = new Ledger(this.journal, await readStored(this.postgres), Object.values(this.endpoints));
    return {
      ...ledger.compare(first, this.traffic),
      seed,
      changes: this.traffic.changes,
      hits: this.hits,
      kills: this.made,
      inFlight: this.inFlight,
      seconds: this.seconds,
    };
  }

  async stop(): Promise<void> {
    this.isOver = true;
    await Promise.allSettled([this.background, this.traffic?.stop()]);
    await Promise.allSettled(this.replicas.map(({ process }) => process.kill()));
    this.receiver?.kill('SIGKILL');
    await this.postgres?.stop();
    if (this.directory) await rm(this.directory, { recursive: true, force: true });
  }

  private get seconds(): number {
    return Math.round((performance.now() - this.started) / 1_000);
  }

  private get journal(): string {
    return join(this.directory, 'journal');
  }

  /** The first position that the endpoints must receive. */
  private async prepare(): Promise<number> {
    const { roles, seed, timeoutMs } = this.settings;
    this.directory = await mkdtemp(join(tmpdir(), 'chaos-events-'));
    this.postgres = await CrashingPostgres.start('on');
    this.receiver = fork('test/chaos/events/receiver.mjs', [this.journal, String(seed)], { execArgv: [] });
    const [{ port }] = (await once(this.receiver, 'message')) as [{ port: number }];
    this.replicas = await Promise.all(
      roles.map(async (role, index) => ({ role, process: await this.replica(role, index, timeoutMs) })),
    );
    await Promise.all(this.replicas.map(({ process }) => process.start()));
    const serving = this.replicas.filter(({ role }) => role !== 'worker').map(({ process }) => process);
    const management = new AppClient(serving, MANAGEMENT_KEY, this.random);
    const app = await management.callUntilDone('POST', '/management/v1/apps', { name: 'Chaos', mode: 'test' });
    this.client = new AppClient(serving, String(app['secret_key']), this.random);
    const receiver = `http://127.0.0.1:${port}`;
    this.endpoints = {
      ordered: await Endpoint.create(this.client, receiver, { path: '/ordered', ordered: true }),
      created: await Endpoint.create(this.client, receiver, {
        path: '/created',
        types: ['user.created', 'webhook_endpoint.disabled'],
      }),
      gone: await Endpoint.create(this.client, receiver, { path: '/gone' }),
    };
    // What happened before the endpoints existed is not sent to them.
    return this.untilSequenced();
  }

  private async replica(role: string, index: number, timeoutMs: number): Promise<Replica> {
    const env = {
      NODE_ENV: 'test',
      ROLE: role,
      DATABASE_URL: await this.postgres.urlFor(`chaos_${index}`),
      DATA_DIR: this.directory,
      MANAGEMENT_KEY,
      MASTER_KEYS: `chaos:${createHash('sha256').update('the master key of chaos').digest('base64')}`,
      ALLOW_PRIVATE_NETWORKS: 'true',
      CHAOS_TIMEOUT_MS: String(timeoutMs),
    };
    return new Replica(env, KILL_POINTS);
  }

  private async untilSequenced(): Promise<number> {
    for (;;) {
      const [unsequenced, last] = await this.numbers(
        `select (select count(*) from unsequenced_events)::int as a, (select max(last_position) from event_positions)::int as b`,
      );
      if (unsequenced === 0 && last !== null) return last! + 1;
      await sleep(50);
    }
  }

  /** Takes the next place until there is none. */
  private async hitAll(places: { place: Place; round: number }[]): Promise<void> {
    for (let next; (next = places.shift());) {
      const { place, round } = next;
      const variant = round % 2 === 0 ? 'after' : 'inside';
      await this.hit(place, variant);
      this.hits[place] = (this.hits[place] ?? 0) + 1;
      this.made += 1;
      this.settings.log(
        `${this.seconds} s: ${this.made}. ${place} (${variant}); changes ${this.traffic.changes}, in flight at kills ${this.inFlight}`,
      );
    }
  }

  private async hit(place: Place, variant: string): Promise<void> {
    if (place === 'postgres') {
      await this.postgres.crash(variant === 'after');
      return void (await this.postgres.ask((client) => client.query('select')));
    }
    const target = await this.reserve(place);
    const since = Math.floor(Date.now() / 1_000) - RECOVER_MARGIN_SECONDS;
    let isHit = false;
    const nudge = async (): Promise<void> => {
      while (!isHit) {
        if (place === 'rotating') await this.endpoints.ordered.rotate(target);
        // Another process may have disabled it.
        if (place === 'disabling') await this.enableAgain();
        await sleep(NUDGE_MS);
      }
    };
    if (place === 'disabling') await this.makeGone(this.endpoints.gone.path);
    const hit = target.arm(place, variant);
    const nudging = nudge();
    const { inFlight, msg } = await hit.finally(() => (isHit = true));
    await nudging;
    this.inFlight += inFlight;
    if (place === 'disabling') await this.makeGone('');
    if (msg === 'killed') await this.startAgain(target);
    if (place === 'rotating') await this.endpoints.ordered.rotateUntilDone();
    if (place === 'disabling') await this.endpoints.gone.recover(since);
    this.busy.delete(target);
  }

  /** A process in which the place may be reached, and in which no other place is armed. */
  private async reserve(place: Place): Promise<Replica> {
    const isOfCalls = place === 'after-commit' || place === 'rotating';
    const able = this.replicas
      .filter(({ role }) => place === 'commit-cut' || role === 'all' || (role === 'worker') !== isOfCalls)
      .map(({ process }) => process);
    for (;;) {
      const idle = able.filter((process) => !this.busy.has(process));
      const target = idle[Math.floor(this.random() * idle.length)];
      if (target) {
        this.busy.add(target);
        return target;
      }
      await sleep(50);
    }
  }

  private async makeGone(path: string): Promise<void> {
    const done = once(this.receiver, 'message');
    this.receiver.send({ gone: path });
    await done;
  }

  private async enableAgain(): Promise<void> {
    await this.client.call('PATCH', `/v1/webhook_endpoints/${this.endpoints.gone.id}`, { disabled: false });
  }

  /** Restarts like an orchestrator: a process that finds no database at its start exits and is started again. */
  private async startAgain(process: Replica): Promise<void> {
    // Only one worker runs, so a dead one had all leases.
    const isWorker = this.replicas.some((replica) => replica.process === process && replica.role === 'worker');
    if (this.settings.endsLeases && isWorker)
      await this.write('update webhook_queue set leased_until = now() where lease is not null');
    for (let tries = 1; ; tries++) {
      try {
        return void (await process.start());
      } catch (error) {
        if (tries === MOST_STARTS) throw error;
        await sleep(500);
      }
    }
  }

  /** Shortens the pauses between attempts. */
  private async hastenAll(): Promise<void> {
    while (!this.isOver) {
      await this.write(HASTEN, [LONGEST_PAUSE_MS / 1_000]);
      await this.write(HASTEN_PROBES, [LONGEST_PAUSE_MS / 1_000]);
      await sleep(HASTEN_MS);
    }
  }

  /** Waits until nothing is left to do, or nothing gets less. */
  private async settle(): Promise<void> {
    let least = Infinity;
    let progressAt = 0;
    for (let looks = 1; looks - progressAt < STUCK_AFTER_LOOKS; looks++) {
      const [left, jobs] = await this.numbers(
        `select (select count(*) from unsequenced_events)::int + (select count(*) from webhook_queue)::int as a,
                (select count(*) from jobs where kind = 'webhooks.recover')::int as b`,
      );
      if (left === 0 && jobs === 0) return;
      const all = left! + jobs!;
      if (all < least) [least, progressAt] = [all, looks];
      if (looks % LOOKS_PER_LINE === 0) this.settings.log(`${this.seconds} s: ${left} to be delivered, ${jobs} jobs`);
      await sleep(200);
    }
  }

  private async numbers(text: string): Promise<(number | null)[]> {
    return this.postgres.ask(async (client) => {
      const { rows } = await client.query<{ a: number | null; b: number | null }>(text);
      return [rows[0]!.a, rows[0]!.b];
    });
  }

  private async write(text: string, values: readonly unknown[] = []): Promise<void> {
    await this.postgres.ask((client) => client.query(text, [...values]));
  }
}
