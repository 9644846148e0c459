import { readFileSync } from 'node:fs';
import { Webhook } from 'standardwebhooks';
import type { CrashingPostgres } from '../postgres.js';
import type { Endpoint } from './endpoints.js';
import type { Traffic } from './traffic.js';

/** A request, as the receiver wrote it to its journal before it answered. */
export interface Arrival {
  readonly endpoint: string;
  readonly id: string;
  readonly timestamp: number;
  readonly signature: string;
  readonly body: string;
  /** `accepted` and `hung` were accepted. */
  readonly answer: 'accepted' | 'hung' | 'failed' | 'reset' | 'busy' | 'gone';
}

interface LoggedEvent {
  readonly id: string;
  readonly position: string;
  readonly type: string;
  readonly user_id: string | null;
  readonly body: string;
}

interface EndedDelivery {
  readonly endpoint_id: string;
  readonly event_id: string;
  readonly status: string;
  readonly timeouts: number;
}

/** What the client knows about an endpoint. */
export type KnownEndpoint = Pick<Endpoint, 'id' | 'path' | 'secrets' | 'isOrdered' | 'wants'>;

/** What the database has when the run has ended. */
export interface Stored {
  readonly events: readonly LoggedEvent[];
  readonly ended: readonly EndedDelivery[];
  readonly lastPosition: number;
  readonly unsequenced: number;
  readonly pending: number;
  readonly leased: number;
}

/** Numbers that must be zero, and those that bound the duplicates. */
export interface Comparison {
  readonly events: number;
  readonly deliveries: number;
  readonly requests: number;
  readonly answers: Readonly<Record<string, number>>;
  readonly duplicates: number;
  /** Requests that were accepted and got no answer within the time limit, as the receiver and the service count them. */
  readonly unanswered: number;
  readonly faults: Readonly<Record<Fault, number>>;
  /** A few of each fault. */
  readonly examples: readonly string[];
}

export const FAULTS = [
  'missing',
  'neverCommitted',
  'otherBytes',
  'notSubscribed',
  'wrongSignature',
  'outOfOrder',
  'gapsInPositions',
  'unsequenced',
  'pending',
  'leased',
  'notRecorded',
  'lostChanges',
] as const;
type Fault = (typeof FAULTS)[number];

const EXAMPLES = 5;

export async function readStored(postgres: CrashingPostgres): Promise<Stored> {
  return postgres.ask(async (client) => {
    const rows = async <R extends object>(text: string): Promise<R[]> => (await client.query<R>(text)).rows;
    const [counts] = await rows<Omit<Stored, 'events' | 'ended'>>(`
      select (select count(*) from unsequenced_events)::int as unsequenced,
             (select count(*) from webhook_queue)::int as pending,
             (select count(*) from webhook_queue where leased_until is not null)::int as leased,
             (select max(last_position) from event_positions)::int as "lastPosition"`);
    return {
      ...counts!,
      events: await rows<LoggedEvent>(
        `select id, position, type, user_id, body from event_log order by app_id, position`,
      ),
      ended: await rows<EndedDelivery>(`
        select endpoint_id, event_id, status,
               (select count(*) from jsonb_array_elements(attempts) a where a->>'error' = 'timeout')::int as timeouts
          from webhook_deliveries`),
    };
  });
}

/** Compares what was committed with what the receiver has in its journal. */
export class Ledger {
  private readonly faults = Object.fromEntries(FAULTS.map((fault) => [fault, 0])) as Record<Fault, number>;
  private readonly examples: string[] = [];
  private readonly arrivals: readonly Arrival[];

  constructor(
    journal: string,
    private readonly stored: Stored,
    private readonly endpoints: readonly KnownEndpoint[],
  ) {
    this.arrivals = readFileSync(journal, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Arrival);
  }

  /** `from` is the first position that every endpoint must receive. */
  compare(from: number, traffic: Pick<Traffic, 'users'>): Comparison {
    const { events, ended, lastPosition, unsequenced, pending, leased } = this.stored;
    const byId = new Map(events.map((event) => [event.id, event]));
    for (const [index, { position, id }] of events.entries()) {
      if (Number(position) !== index + 1) this.fault('gapsInPositions', `${id} has position ${position}`);
    }
    if (lastPosition !== events.length) this.fault('gapsInPositions', `the last position is ${lastPosition}`);
    this.faults.unsequenced += unsequenced;
    this.faults.pending += pending;
    this.faults.leased += leased;
    for (const endpoint of this.endpoints) this.compareEndpoint(endpoint, byId, from);
    this.compareChanges(traffic);

    const accepted = this.arrivals.filter(isAccepted);
    const distinct = new Set(accepted.map(({ endpoint, id }) => `${endpoint} ${id}`)).size;
    const answers: Record<string, number> = {};
    for (const { answer } of this.arrivals) answers[answer] = (answers[answer] ?? 0) + 1;
    const timeouts = ended.reduce((sum, delivery) => sum + delivery.timeouts, 0);
    return {
      events: events.length,
      deliveries: distinct,
      requests: this.arrivals.length,
      answers,
      duplicates: accepted.length - distinct,
      // On a slow machine an answer may also come too late.
      unanswered: Math.max(answers['hung'] ?? 0, timeouts),
      faults: this.faults,
      examples: this.examples,
    };
  }

  private compareEndpoint(endpoint: KnownEndpoint, byId: ReadonlyMap<string, LoggedEvent>, from: number): void {
    const arrived = this.arrivals.filter((arrival) => arrival.endpoint === endpoint.path);
    const accepted = arrived.filter(isAccepted);
    const acceptedIds = new Set(accepted.map(({ id }) => id));
    for (const { id, position, type } of byId.values()) {
      if (Number(position) >= from && endpoint.wants(type) && !acceptedIds.has(id)) {
        this.fault('missing', `${endpoint.path} has not received ${id} (${type}, position ${position})`);
      }
    }
    const signers = endpoint.secrets.map((secret) => new Webhook(secret));
    for (const { id, body, timestamp, signature } of arrived) {
      const event = byId.get(id);
      if (!event) this.fault('neverCommitted', `${endpoint.path} has received ${id}`);
      else if (event.body !== body) this.fault('otherBytes', `${id}: ${body}`);
      else if (!endpoint.wants(event.type)) this.fault('notSubscribed', `${endpoint.path} has received ${event.type}`);
      const signatures = signature.split(' ');
      if (!signers.some((signer) => signatures.includes(signer.sign(id, new Date(timestamp * 1_000), body)))) {
        this.fault('wrongSignature', `${endpoint.path} ${id}`);
      }
    }
    if (endpoint.isOrdered) this.compareOrder(accepted, byId);
    this.compareRecords(endpoint, acceptedIds);
  }

  /** Duplicates follow at once, so the positions of a user's events never decrease. */
  private compareOrder(accepted: readonly Arrival[], byId: ReadonlyMap<string, LoggedEvent>): void {
    const last = new Map<string, number>();
    for (const { id } of accepted) {
      const { user_id, position } = byId.get(id) ?? { user_id: null, position: 0 };
      if (user_id === null) continue;
      const before = last.get(user_id) ?? 0;
      if (Number(position) < before) this.fault('outOfOrder', `${user_id}: ${position} after ${before}`);
      last.set(user_id, Math.max(before, Number(position)));
    }
  }

  /** Each accepted event is recorded once, as delivered. */
  private compareRecords(endpoint: KnownEndpoint, acceptedIds: ReadonlySet<string>): void {
    const recorded = this.stored.ended.filter(({ endpoint_id }) => endpoint_id === endpoint.id);
    for (const { event_id, status } of recorded) {
      if (status !== 'delivered') this.fault('notRecorded', `${endpoint.path} ${event_id} is ${status}`);
      else if (!acceptedIds.has(event_id)) this.fault('notRecorded', `${endpoint.path} never accepted ${event_id}`);
    }
    if (recorded.length !== acceptedIds.size) {
      this.fault('notRecorded', `${endpoint.path}: ${recorded.length} recorded, ${acceptedIds.size} accepted`);
    }
  }

  /** Every change whose success was reported has an event, and no event has no change. */
  private compareChanges({ users }: Pick<Traffic, 'users'>): void {
    const updates = new Map<string, number>();
    const created = new Set<string>();
    for (const { type, user_id } of this.stored.events) {
      if (user_id === null) continue;
      if (type === 'user.created') created.add(user_id);
      if (type === 'user.updated') updates.set(user_id, (updates.get(user_id) ?? 0) + 1);
    }
    for (const { id, sent, confirmed } of users) {
      const count = updates.get(id) ?? 0;
      if (!created.has(id)) this.fault('lostChanges', `${id} has no user.created`);
      if (count < confirmed || count > sent) {
        this.fault('lostChanges', `${id}: ${confirmed} of ${sent} updates confirmed, ${count} events`);
      }
    }
  }

  private fault(fault: Fault, example: string): void {
    this.faults[fault] += 1;
    if (this.faults[fault] <= EXAMPLES) this.examples.push(`${fault}: ${example}`);
  }
}

function isAccepted({ answer }: Arrival): boolean {
  return answer === 'accepted' || answer === 'hung';
}
