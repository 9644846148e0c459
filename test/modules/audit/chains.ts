import { Clock } from '../../../src/kernel/clock.js';
import { AuditKeys, VerifyChains } from '../../../src/modules/audit/index.js';
import { SignCheckpoints } from '../../../src/modules/audit/application/sign-checkpoints.js';
import { AuditChain } from '../../../src/modules/audit/domain/audit-chain.js';
import type { Fault, Findings } from '../../../src/modules/audit/application/verification.js';
import { RefusedRequests } from '../../../src/edge/http/refused-requests.js';
import type { BufferedRefusedRequests } from '../../../src/modules/audit/infrastructure/buffered-refused-requests.js';
import { PostgresRefusals } from '../../../src/modules/audit/infrastructure/postgres-refusals.js';
import { Database } from '../../../src/postgres/database.js';
import { MANAGEMENT_KEY, type TestApp } from '../../support/app.js';
import { untilAvailable } from '../../support/eventually.js';

type Token<T> = abstract new (...args: never[]) => T;

/** The parts of a service whose background work does not run, so that a test decides when an entry is chained or signed. */
export class Chains {
  constructor(readonly service: TestApp) {}

  get<T>(token: Token<T>): T {
    return this.service.nest.get(token as never, { strict: false });
  }

  sql<R extends object>(sql: string, parameters: readonly unknown[] = []): Promise<R[]> {
    return this.get(Database).write<R>(sql, parameters);
  }

  /** Chains until no entry waits. */
  async chain(): Promise<void> {
    const chain = this.get(AuditChain);
    for (let after = '', hasMore = true; hasMore;)
      ({ after, hasMore } = await untilAvailable(() => chain.advance(after)));
  }

  /** Chains what waits, and signs as if an hour had passed. */
  async sign(): Promise<void> {
    await this.chain();
    await this.sql(`update audit_chains set hour_at = '-infinity'`);
    await this.get(SignCheckpoints).execute();
  }

  verify(appId: string | null): Promise<Findings> {
    return this.get(VerifyChains).execute(appId, () => undefined);
  }

  /** The first broken link of one chain; undefined when it holds. */
  async fault(appId: string): Promise<Fault | undefined> {
    return (await this.verify(appId)).faults[0];
  }

  clock(): Clock {
    return this.get(Clock);
  }

  keys(): AuditKeys {
    return this.get(AuditKeys);
  }

  /** Writes refused calls that are in memory. */
  flush(): Promise<void> {
    return (this.get(RefusedRequests) as BufferedRefusedRequests).flush();
  }

  /** Ends the minutes of all refused calls. */
  async endMinutes(): Promise<void> {
    await this.sql(`update audit_refusals set since = since - interval '1 minute'`);
    await this.get(PostgresRefusals).end();
  }

  /** A new app with this many entries, chained and covered by a checkpoint, and one entry more that is only chained. */
  async appWithChain(covered = 4): Promise<string> {
    const app = await this.service.given.app();
    for (let i = 1; i < covered; i++) await this.rename(app.id, `Name ${i}`);
    await this.sign();
    await this.rename(app.id, 'Last name');
    await this.chain();
    return app.id;
  }

  async rename(appId: string, name: string): Promise<void> {
    await this.service.call('PATCH', `/management/v1/apps/${appId}`, { key: MANAGEMENT_KEY, body: { name } });
  }
}
