import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { Batches } from '../../../kernel/batches.js';
import { grouped } from '../../../kernel/collections.js';
import { type AppId, type Id, ID_PREFIXES, newId } from '../../../kernel/ids.js';
import { Log } from '../../../kernel/log.js';
import { type Page, pageFrom, type PageRequest } from '../../../kernel/paging.js';
import { Database } from '../../../postgres/database.js';
import { named } from '../../../postgres/statement.js';
import { type RefusedCall, RefusedCalls, type RefusedCallsOfHour } from '../domain/refused-calls.js';

const BATCHED_FOR_MS = 1_000;
const MOST_WAITING = 10_000;

interface Columns {
  readonly ids: readonly string[];
  readonly keyIds: readonly string[];
  readonly operations: readonly string[];
  readonly errorTypes: readonly string[];
  readonly calls: readonly number[];
  readonly requestIds: readonly string[];
}

/** The rows are written in one order, because two processes may count the same ones. */
const COUNT = named<{ readonly appId: AppId } & Columns>(`
  insert into refused_calls as r (app_id, id, hour, key_id, operation, error_type, calls, last_at, last_request_id)
  select $appId, c.id, date_trunc('hour', now(), 'UTC'), c.key_id, c.operation, c.error_type, c.calls, now(), c.request_id
    from unnest($ids::text[], $keyIds::text[], $operations::text[], $errorTypes::text[], $calls::integer[], $requestIds::text[])
      as c (id, key_id, operation, error_type, calls, request_id)
   order by c.key_id, c.operation, c.error_type
  on conflict (app_id, hour, key_id, operation, error_type)
  do update set calls = r.calls + excluded.calls, last_at = excluded.last_at, last_request_id = excluded.last_request_id`);

const list = (condition: string): string => `
  select id, hour, key_id as "keyId", operation, error_type as "errorType", calls, last_at as "lastAt", last_request_id as "lastRequestId"
    from refused_calls
   where app_id = $1 and id < $2 ${condition}
   order by id desc limit $3`;
const LIST = list('');
const LIST_OF_KEY = list('and key_id = $4');
/** A text above every id, also where punctuation sorts before letters. */
const END = `${ID_PREFIXES.refusedCalls}_${'z'.repeat(27)}` as Id<'refusedCalls'>;

interface Counted extends RefusedCall {
  readonly calls: number;
}

@Injectable()
export class PostgresRefusedCalls extends RefusedCalls implements BeforeApplicationShutdown {
  private waiting = 0;
  private readonly batches = new Batches<RefusedCall>(BATCHED_FOR_MS, (calls) => this.write(calls));

  constructor(
    private readonly database: Database,
    private readonly log: Log,
  ) {
    super();
  }

  override count(call: RefusedCall): void {
    if (this.waiting >= MOST_WAITING) return;
    this.waiting++;
    void this.batches.add(call);
  }

  override async list(
    appId: AppId,
    { limit, startingAfter = END }: PageRequest<Id<'refusedCalls'>>,
    keyId?: string,
  ): Promise<Page<RefusedCallsOfHour>> {
    const common = [appId, startingAfter, limit + 1];
    const rows =
      keyId === undefined
        ? await this.database.list<RefusedCallsOfHour>(LIST, common)
        : await this.database.list<RefusedCallsOfHour>(LIST_OF_KEY, [...common, keyId]);
    return pageFrom(rows, limit);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.batches.flush();
  }

  private async write(calls: readonly RefusedCall[]): Promise<void> {
    this.waiting -= calls.length;
    const byApp = grouped(calls, ({ appId }) => appId);
    try {
      for (const [appId, ofApp] of byApp) {
        const rows = totalsOf(ofApp);
        const columns: Columns = {
          ids: rows.map(() => newId('refusedCalls')),
          keyIds: rows.map(({ keyId }) => keyId),
          operations: rows.map(({ operation }) => operation),
          errorTypes: rows.map(({ errorType }) => errorType),
          calls: rows.map((row) => row.calls),
          requestIds: rows.map(({ requestId }) => requestId),
        };
        await this.database.write(...COUNT({ appId, ...columns }));
      }
    } catch (error) {
      this.log.warn({ err: { name: (error as Error).name } }, 'Some refused calls were not counted.');
    }
  }
}

function totalsOf(calls: readonly RefusedCall[]): Counted[] {
  const groups = grouped(calls, ({ keyId, operation, errorType }) => JSON.stringify([keyId, operation, errorType]));
  return [...groups.values()].map((group) => ({ ...group.at(-1)!, calls: group.length }));
}
