import { Injectable } from '@nestjs/common';
import { Transactions } from '../../kernel/transactions.js';
import { runIn } from '../../postgres/current-transaction.js';
import { Database } from '../../postgres/database.js';
import { keyOf, type RefusalBatch, type RefusalClass, type RefusalRecorder } from './refusal-recorder.js';

/** A batch whose first transaction still runs on the server is sent again later, instead of waiting for that transaction. */
const WAITS_A_SECOND = `select set_config('lock_timeout', '1000ms', true)`;

/** Returns no row for a batch that was stored before: each process has a row, which names its last batch. */
const TAKE_BATCH = `
  insert into refusal_batches as b (app_id, process, batch) values ($1, $2, $3)
  on conflict (app_id, process) do update set batch = excluded.batch, stored_at = excluded.stored_at where b.batch < excluded.batch
  returning batch`;

/** The classes are counted in one order, because two processes may count the same ones. */
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

/** It takes no lock, because Citus locks rows only where a statement names the app. */
const APPS_WITH_ENDED = `
  select distinct app_id as "appId" from refusals where recorder = $1 and since <= now() - interval '1 minute' order by app_id`;

/** A row that another process counts or ends now is left to it. */
const END = `
  delete from refusals r
   using (select class from refusals
           where app_id = $1 and recorder = $2 and since <= now() - interval '1 minute' limit 1000 for update skip locked) e
   where r.app_id = $1 and r.recorder = $2 and r.class = e.class
  returning r.class, r.calls - r.written as rest`;

/** Counts refusals in the database, so that the bounds hold across all processes. */
@Injectable()
export class RefusalCounts {
  constructor(
    private readonly database: Database,
    private readonly transactions: Transactions,
  ) {}

  /**
   * Counts a batch unless it was stored before, and lets the recorder store as many as it takes. Returns the classes of which it takes no
   * more in this minute, by `keyOf`, with the seconds that are left of it.
   */
  store<Item>(recorder: RefusalRecorder<Item>, batch: RefusalBatch<Item>): Promise<ReadonlyMap<string, number>> {
    return runIn(undefined, () =>
      this.transactions.run(async () => {
        void this.database.write(WAITS_A_SECOND);
        const { appId, refused } = (await recorder.place?.(batch)) ?? batch;
        const place = [appId, recorder.name, refused.map((each) => keyOf(each.class))];
        const taken = await this.database.write(TAKE_BATCH, [appId, batch.process, batch.number]);
        const isNew = taken.length > 0;
        if (isNew) void this.database.write(COUNT, [...place, refused.map(({ count }) => count)]);
        const rows = await this.database.list<{ class: string; written: number; seconds: number }>(COUNTED, place);
        const counted = new Map(rows.map((row) => [row.class, row]));
        const stored = refused.map(({ class: of, first }) => {
          const { written, seconds } = counted.get(keyOf(of)) ?? { written: 0, seconds: 0 };
          const room = isNew ? Math.max(0, recorder.takes(of) - written) : 0;
          return { class: of, first: first.slice(0, room), written, seconds };
        });
        if (isNew) {
          await recorder.store(appId, stored);
          await this.database.write(WRITTEN, [...place, stored.map(({ first }) => first.length)]);
        }
        const full = stored.filter(({ class: of, first, written }) => written + first.length >= recorder.takes(of));
        return new Map(full.map(({ class: of, seconds }) => [keyOf(of), seconds]));
      }),
    );
  }

  /** How many refusals of each caller are stored in the current minute, by `actor`. */
  async storedByCaller(recorder: string, appId: string): Promise<Map<string, number>> {
    const rows = await this.database.list<{ actor: string; written: number }>(WRITTEN_BY_CALLER, [appId, recorder]);
    return new Map(rows.map(({ actor, written }) => [actor, written]));
  }

  /** Ends the minutes that are over. */
  async end<Item>(recorder: RefusalRecorder<Item>): Promise<void> {
    const apps = await this.database.list<{ appId: string }>(APPS_WITH_ENDED, [recorder.name]);
    for (const { appId } of apps)
      for (let ended = 1_000; ended === 1_000;)
        ended = await this.transactions.run(() => this.endOnce(recorder, appId));
  }

  private async endOnce<Item>(recorder: RefusalRecorder<Item>, appId: string): Promise<number> {
    const ended = await this.database.write<{ class: string; rest: number }>(END, [appId, recorder.name]);
    const rest = ended.filter((row) => row.rest > 0);
    await recorder.storeRest?.(
      appId,
      rest.map((row) => ({ class: classIn(row.class), count: row.rest })),
    );
    return ended.length;
  }
}

function classIn(key: string): RefusalClass {
  const [reason, actor, network] = JSON.parse(key) as [string, string, string];
  return { reason, actor, network };
}
