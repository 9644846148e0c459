import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { canonicalJson } from '../../kernel/canonical-json.js';
import { RecentlyUsed } from '../../kernel/recently-used.js';
import { ALTERED, type MacTable, MacTables, rowAltered, RowMacs } from '../../kernel/row-macs.js';
import { ServiceKeys } from '../../kernel/service-keys.js';
import { Transactions } from '../../kernel/transactions.js';
import { Vault } from '../../kernel/vault.js';
import { Database } from '../../postgres/database.js';
import { assertNoneEarlier, type Others } from '../../postgres/replicas.js';
import { columnsOf } from '../../postgres/statement.js';
import { isEqual, type Query } from './key-check.js';
import { SealAlarms } from './seal-alarms.js';
import { markRowsSealed, ROWS_MARK, rowsMark } from './service-secret.js';

type Row = Readonly<Record<string, unknown>>;

const APPS_IN_MEMORY = 10_000;
const LOOK_MS = 10_000;
const BATCH = 500;

/** The key of each app is derived from the secret of the service. */
@Injectable()
export class ServiceRowMacs extends RowMacs implements OnModuleInit, OnModuleDestroy {
  private readonly appKeys = new RecentlyUsed<string, KeyObject>(APPS_IN_MEMORY);
  private mark = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly keys: ServiceKeys,
    private readonly database: Database,
    private readonly alarms: SealAlarms,
  ) {
    super();
  }

  /** A replica of the upgrade learns within seconds that `seal rows` was run. */
  async onModuleInit(): Promise<void> {
    for (const { table } of MacTables.declared) this.alarms.expectKind(kindOf(table));
    await this.look();
    if (this.mark < ROWS_MARK) this.timer = setInterval(() => void this.look().catch(() => undefined), LOOK_MS).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  of(table: MacTable, row: Row): Buffer {
    return macOf(table, row)?.length === 0 ? ALTERED : this.compute(table, row);
  }

  verified(table: MacTable, row: Row): Buffer | null {
    const mac = macOf(table, row) ?? null;
    if (this.mark < table.since || this.isRight(table, row)) return mac;
    this.alarms.raise([kindOf(table.table), ...table.key.map((name) => String(row[name]))], rowAltered());
    return ALTERED;
  }

  sign(table: MacTable, row: Row): Promise<unknown> {
    const [mac, ...keys] = [table.column ?? 'mac', ...table.key].map((name) => columnsOf<Row>([name]).names);
    const matches = keys.map((name, i) => `${name} = $${i + 3}`).join(' and ');
    return this.database.write(
      `update ${table.table} set ${mac} = $1 where ${mac} is not distinct from $2 and not (${table.ended ?? 'false'}) and ${matches}`,
      [this.compute(table, row), macOf(table, row), ...table.key.map((name) => row[name])],
    );
  }

  signAll(table: MacTable, rows: readonly Row[]): Promise<unknown> {
    const [mac, ...keys] = [table.column ?? 'mac', ...table.key].map((name) => columnsOf<Row>([name]).names);
    const types = table.key.map((name) => typeOf(rows[0]?.[name]));
    return this.database.write(
      `update ${table.table} t set ${mac} = s.signed
         from unnest($1::bytea[], $2::bytea[], ${types.map((type, i) => `$${i + 3}::${type}[]`).join(', ')})
           as s (signed, former, ${keys.map((_, i) => `key_${i}`).join(', ')})
        where t.${mac} is not distinct from s.former and not (${table.ended ?? 'false'})
          and ${keys.map((name, i) => `t.${name} = s.key_${i}`).join(' and ')}`,
      [
        rows.map((row) => this.compute(table, row)),
        rows.map((row) => macOf(table, row)),
        ...table.key.map((name) => rows.map((row) => row[name])),
      ],
    );
  }

  isRight(table: MacTable, row: Row): boolean {
    const mac = macOf(table, row);
    return !!mac && isEqual(this.compute(table, row), mac);
  }

  private compute({ table, column, key, fields, app = 'appId' }: MacTable, row: Row): Buffer {
    // JSON has delimiters, so no two rows have the same text.
    const content = [column === undefined ? table : `${table} ${column}`, ...key, ...fields].map((name, i) =>
      i === 0 ? name : textOf(name, row[name]),
    );
    return createHmac('sha256', this.keyOf(app === null ? '' : String(row[app])))
      .update(JSON.stringify(content))
      .digest();
  }

  private keyOf(app: string): KeyObject {
    const derived = this.appKeys.get(app);
    if (derived) return derived;
    const key = createSecretKey(createHmac('sha256', this.keys.derive('row mac')).update(app).digest());
    this.appKeys.set(app, key);
    return key;
  }

  private async look(): Promise<void> {
    this.mark = await rowsMark((sql, parameters) => this.database.list(sql, parameters));
    if (this.mark === ROWS_MARK) clearInterval(this.timer);
  }
}

const kindOf = (table: string): string => `row of ${table}`;

const macOf = ({ column = 'mac' }: MacTable, row: Row) => row[column] as Buffer | null | undefined;

function typeOf(key: unknown): string {
  if (key instanceof Uint8Array) return 'bytea';
  return typeof key === 'number' ? 'integer' : 'text';
}

/** The text must be the same for a value in memory and for the value that pg reads back. */
function textOf(name: string, value: unknown): string | null {
  if (value === undefined) throw new Error(`The MAC of a row needs its field ${name}.`);
  if (value === null || typeof value === 'string') return value;
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  return typeof value === 'object' ? canonicalJson(value) : String(value as number | bigint | boolean);
}

export interface ComparedRows {
  rows: number;
  wrong: number;
  readonly named: string[];
}

export interface SealedRows {
  readonly signed: number;
  readonly wrong: number;
}

const MOST_NAMED = 100;

@Injectable()
export class SealRows {
  constructor(
    private readonly database: Database,
    private readonly macs: ServiceRowMacs,
    private readonly vault: Vault,
    private readonly transactions: Transactions,
  ) {}

  /** Signs the rows of an earlier release; others are only compared. Throws `ReplicasRun`: older replicas change rows without MACs. */
  async execute(
    progress: (table: string, done: ComparedRows, isSigned: boolean) => void,
    others: Others = { isPooled: false, isAlone: false },
  ): Promise<SealedRows> {
    const query: Query = (sql, parameters) => this.database.write(sql, parameters);
    const mark = await rowsMark(query);
    if (mark < ROWS_MARK) await assertNoneEarlier(query, others);
    let [signed, wrong] = [0, 0];
    for (const table of MacTables.declared) {
      const isSigned = mark < table.since;
      const done = await this.compare(table, isSigned);
      progress(table.table, done, isSigned);
      if (isSigned) signed += done.wrong;
      else wrong += done.wrong;
    }
    if (mark < ROWS_MARK) {
      await this.vault.ready('service');
      await assertNoneEarlier(query, others);
      await this.transactions.run(() => markRowsSealed(query, this.vault));
    }
    return { signed, wrong };
  }

  async verify(progress: (table: string, rows: number) => void) {
    const mark = await rowsMark((sql, parameters) => this.database.list(sql, parameters));
    const totals = { compared: 0, wrong: 0, named: {} as Record<string, readonly string[]> };
    for (const table of MacTables.declared.filter(({ since }) => mark >= since)) {
      const { rows, wrong, named } = await this.compare(table, false);
      progress(table.table, rows);
      totals.compared += rows;
      totals.wrong += wrong;
      if (wrong > 0) totals.named[table.table] = named;
    }
    return totals;
  }

  /** With `signs`, replaces wrong MACs, except on a row that a replica changes meanwhile. Each portion commits by itself. */
  async compare(table: MacTable, signs: boolean): Promise<ComparedRows> {
    const { key, fields, computed = {}, column = 'mac', ended = 'false' } = table;
    const columns = columnsOf<Row>([...new Set([...key, ...fields, column])].filter((field) => !(field in computed)));
    const others = Object.entries(computed).map(([field, sql]) => `, ${sql} as "${field}"`);
    const keys = key.map((name) => columnsOf<Row>([name]).names);
    const isAfter = `(${keys.join(', ')}) > (${keys.map((_, i) => `$${i + 1}`).join(', ')})`;
    const done: ComparedRows = { rows: 0, wrong: 0, named: [] };
    for (let last: unknown[] | null = null; ;) {
      const rows: Row[] = await this.database.list<Row>(
        `select ${columns.of('t')}${others.join('')} from ${table.table} t where not (${ended}) ${last ? `and ${isAfter}` : ''}
          order by ${keys.join(', ')} limit ${BATCH}`,
        last ?? [],
      );
      const wrong = rows.filter((row) => !this.macs.isRight(table, row));
      if (signs && wrong.length > 0) await this.transactions.run(() => this.macs.signAll(table, wrong));
      done.rows += rows.length;
      done.wrong += wrong.length;
      const ids = wrong.map((row) => key.map((name) => String(row[name])).join('/'));
      done.named.push(...ids.slice(0, MOST_NAMED - done.named.length));
      if (rows.length < BATCH) return done;
      last = key.map((name) => rows.at(-1)![name]);
    }
  }
}
