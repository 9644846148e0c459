import { Injectable } from '@nestjs/common';
import { Transactions } from '../../kernel/transactions.js';
import { runIn } from '../../postgres/current-transaction.js';
import { Database } from '../../postgres/database.js';

export interface RefusalClass {
  readonly reason: string;
  readonly actor: string;
  readonly network: string;
}

export interface Refused<Item> {
  readonly class: RefusalClass;
  count: number;
  readonly first: Item[];
}

export interface RefusalBatch<Item> {
  readonly appId: string;
  readonly process: string;
  /** Increases in the process. A batch that is sent again keeps its number. */
  readonly number: number;
  readonly refused: readonly Refused<Item>[];
}

export abstract class RefusalReader<Item> {
  abstract readonly name: string;

  abstract takes(of: RefusalClass): number;

  /** Runs in the transaction that counts them. */
  abstract store(appId: string, taken: readonly Pick<Refused<Item>, 'class' | 'first'>[]): Promise<void>;

  /** Adds all refusals to counts of its own, in the same transaction. */
  count?(appId: string, refused: readonly Pick<Refused<Item>, 'class' | 'count'>[]): Promise<void>;

  /** Runs in the transaction that ends their minute. Without this method the rest is not recorded. */
  storeRest?(appId: string, rest: readonly Pick<Refused<Item>, 'class' | 'count'>[]): Promise<void>;

  /** May move refusals to another app or class before they are counted, in the same transaction. */
  place?(batch: RefusalBatch<Item>): Promise<Pick<RefusalBatch<Item>, 'appId' | 'refused'>>;
}

/** A batch whose first transaction still runs is sent again later instead of waiting for it. */
const WAITS_A_SECOND = `select set_config('lock_timeout', '1000ms', true)`;

/** Returns no row for a batch that was stored before: the row of a process names its last batch. */
const TAKE_BATCH = `
  insert into refusal_batches as b (app_id, process, batch) values ($1, $2, $3)
  on conflict (app_id, process) do update set batch = excluded.batch, stored_at = excluded.stored_at where b.batch < excluded.batch
  returning batch`;

/** The classes have one order, because two processes may count the same ones. */
const COUNT = `
  insert into refusals as r (app_id, recorder, class, calls)
  select $1, $2, c.* from unnest($3::text[], $4::integer[]) as c (class, calls) order by class
  on conflict (app_id, recorder, class) do update set calls = r.calls + excluded.calls`;

/** A statement of its own, because Citus evaluates now() in no RETURNING. */
const COUNTED = `
  select class, written, extract(epoch from since + interval '1 minute' - now())::float8 as seconds
    from refusals where app_id = $1 and recorder = $2 and class = any($3)`;

const WRITTEN = `
  update refusals r set written = r.written + w.count from unnest($3::text[], $4::integer[]) as w (class, count)
   where r.app_id = $1 and r.recorder = $2 and r.class = w.class`;

/** The second part of a class names the caller. */
const WRITTEN_BY_CALLER = `
  select class::json ->> 1 as actor, sum(written)::int as written from refusals where app_id = $1 and recorder = $2 group by 1`;

/** Takes no lock, because Citus locks rows only where a statement names the app. */
const APPS_WITH_ENDED = `
  select distinct app_id as "appId" from refusals where recorder = $1 and since <= now() - interval '1 minute' order by app_id`;

/** A row that another process counts or ends now is left to it. */
const END = `
  delete from refusals r
   using (select class from refusals
           where app_id = $1 and recorder = $2 and since <= now() - interval '1 minute' limit 1000 for update skip locked) e
   where r.app_id = $1 and r.recorder = $2 and r.class = e.class
  returning r.class, r.calls - r.written as rest`;

/** The database counts, so that the bounds hold across all processes. */
@Injectable()
export class RefusalCounts {
  constructor(
    private readonly database: Database,
    private readonly transactions: Transactions,
  ) {}

  /** Counts a batch at most once. Returns the classes that are full for this minute, by `keyOf`, with its remaining seconds. */
  store<Item>(reader: RefusalReader<Item>, batch: RefusalBatch<Item>): Promise<ReadonlyMap<string, number>> {
    return runIn(undefined, () =>
      this.transactions.run(async () => {
        void this.database.write(WAITS_A_SECOND);
        const { appId, refused } = (await reader.place?.(batch)) ?? batch;
        const place = [appId, reader.name, refused.map((each) => keyOf(each.class))];
        const taken = await this.database.write(TAKE_BATCH, [appId, batch.process, batch.number]);
        const isNew = taken.length > 0;
        if (isNew) void this.database.write(COUNT, [...place, refused.map(({ count }) => count)]);
        const rows = await this.database.list<{ class: string; written: number; seconds: number }>(COUNTED, place);
        const counted = new Map(rows.map((row) => [row.class, row]));
        const stored = refused.map(({ class: of, first }) => {
          const { written, seconds } = counted.get(keyOf(of)) ?? { written: 0, seconds: 0 };
          const room = isNew ? Math.max(0, reader.takes(of) - written) : 0;
          return { class: of, first: first.slice(0, room), written, seconds };
        });
        if (isNew) {
          await reader.store(appId, stored);
          await reader.count?.(appId, refused);
          await this.database.write(WRITTEN, [...place, stored.map(({ first }) => first.length)]);
        }
        const full = stored.filter(({ class: of, first, written }) => written + first.length >= reader.takes(of));
        return new Map(full.map(({ class: of, seconds }) => [keyOf(of), seconds]));
      }),
    );
  }

  /** The keys are the callers (`actor`) in the current minute. */
  async storedByCaller(reader: string, appId: string): Promise<Map<string, number>> {
    const rows = await this.database.list<{ actor: string; written: number }>(WRITTEN_BY_CALLER, [appId, reader]);
    return new Map(rows.map(({ actor, written }) => [actor, written]));
  }

  async end<Item>(reader: RefusalReader<Item>): Promise<void> {
    const apps = await this.database.list<{ appId: string }>(APPS_WITH_ENDED, [reader.name]);
    for (const { appId } of apps)
      for (let ended = 1_000; ended === 1_000;) ended = await this.transactions.run(() => this.endOnce(reader, appId));
  }

  private async endOnce<Item>(reader: RefusalReader<Item>, appId: string): Promise<number> {
    const ended = await this.database.write<{ class: string; rest: number }>(END, [appId, reader.name]);
    const rest = ended.filter((row) => row.rest > 0);
    await reader.storeRest?.(
      appId,
      rest.map((row) => ({ class: classIn(row.class), count: row.rest })),
    );
    return ended.length;
  }
}

export function keyOf({ reason, actor, network }: RefusalClass): string {
  return JSON.stringify([reason, actor, network]);
}

function classIn(key: string): RefusalClass {
  const [reason, actor, network] = JSON.parse(key) as [string, string, string];
  return { reason, actor, network };
}
