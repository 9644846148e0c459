import { Clock } from '../../../src/kernel/clock.js';
import { AuditKeys, type ServiceHead, VerifyChains } from '../../../src/modules/audit/index.js';
import { SignHeads } from '../../../src/modules/audit/application/sign-heads.js';
import { SigningAlarm, AuditChain } from '../../../src/modules/audit/domain/audit-heads.js';
import type { Fault, Findings } from '../../../src/modules/audit/application/verify-chains.js';
import { RecordRefusedCalls } from '../../../src/modules/audit/record-refused-calls.js';
import { Database } from '../../../src/postgres/database.js';
import { MANAGEMENT_KEY, type TestApp } from '../../support/app.js';
import { untilAvailable } from '../../support/eventually.js';

const TABLES_OF_APP = ['audit_log', 'audit_personal_data', 'audit_chains', 'audit_checkpoints', 'audit_cuts'];
/** All tables of the audit log. The newest head also stands elsewhere. */
export const AUDIT_TABLES = [...TABLES_OF_APP, 'audit_heads', 'audit_signing_keys'];
const TABLES = [...AUDIT_TABLES, 'service_state'];

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

  /** Chains what waits, and signs. */
  async sign(): Promise<void> {
    await this.chain();
    await this.get(SignHeads).execute();
  }

  /** A part of the service as a process has it that has just started. */
  restarted<T>(type: new (...parts: never[]) => T): T {
    const parts = Reflect.getMetadata('design:paramtypes', type) as Token<never>[];
    return new type(...parts.map((part) => this.get(part)));
  }

  /** Lets the signer run, and returns what it refused. */
  async refusedBy(signer: SignHeads): Promise<[appId: string, number: number][]> {
    const alarm = jest.spyOn(this.get(SigningAlarm), 'raise');
    try {
      await signer.execute();
      return alarm.mock.calls.map(([appId, { number }]) => [appId, number]);
    } finally {
      alarm.mockRestore();
    }
  }

  /** Copies all tables, and returns what puts them back, for one app or for all. */
  async copy(): Promise<(appId?: string, tables?: readonly string[]) => Promise<void>> {
    const name = `copy_${Math.random().toString(36).slice(2)}`;
    await this.sql(`create schema ${name}`);
    for (const table of TABLES) await this.sql(`create table ${name}.${table} as table ${table}`);
    return async (appId, tables = appId === undefined ? TABLES : TABLES_OF_APP) => {
      for (const table of tables) {
        const where = appId === undefined ? '' : `where app_id = '${appId}'`;
        await this.sql(`delete from ${table} ${where}`);
        await this.sql(`insert into ${table} select * from ${name}.${table} ${where}`);
      }
    };
  }

  verify(appId: string | null, logged?: ServiceHead): Promise<Findings> {
    return this.get(VerifyChains).execute(appId, () => undefined, logged);
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
    return this.get(RecordRefusedCalls).flush();
  }

  /** Ends the minutes of all refused calls. */
  async endMinutes(): Promise<void> {
    await this.sql(`update refusals set since = ((since at time zone 'UTC') - interval '1 minute') at time zone 'UTC'`);
    await this.get(RecordRefusedCalls).end();
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
