import { Injectable } from '@nestjs/common';
import { portionsOf } from '../../kernel/collections.js';
import { ownerOf, SealBroken, Vault, type SealedColumn, SealedColumns } from '../../kernel/vault.js';
import { Log } from '../../kernel/log.js';
import { Database } from '../../postgres/database.js';
import { Config } from '../config/config.js';
import { type Query, retireMasterKeys } from './key-check.js';
import { MASTER_KEYS, type ProviderName, PROVIDERS } from '../config/key-providers.js';
import { Keyring } from './keyring.js';
import { SealAlarms } from './seal-alarms.js';
import { keyIdOf, SealingKeys } from './sealing-keys.js';

const BATCH = 200;
/** The first value of an app waits for two calls to the provider and some round trips. */
const AT_ONCE = 8;
/** An altered value may name anything else; a key of a provider has a colon. */
const KEY_ID = /^[\w.-]+$/;

export interface Rewrapped {
  readonly rewrapped: number;
  readonly broken: number;
}

export interface Sealer {
  readonly holder: ProviderName | typeof MASTER_KEYS | 'unknown';
  /** The id of a master key, which may be the name of a provider too; empty for all other keys. */
  readonly masterKey: string;
}

export interface SealedValues extends Sealer {
  readonly values: number;
}

/** Runs beside the service. A row is updated only if its value is still the one that was read, so the work may be stopped and repeated. */
@Injectable()
export class Rewrapping extends SealedColumns {
  constructor(
    private readonly database: Database,
    private readonly sealing: SealingKeys,
    private readonly vault: Vault,
    private readonly keyring: Keyring,
    private readonly config: Config,
    private readonly alarms: SealAlarms,
    private readonly log: Log,
  ) {
    super();
  }

  get columns(): SealedColumn[] {
    return this.sealing.columns;
  }

  register(column: SealedColumn): void {
    this.columns.push(column);
    this.alarms.expect(column);
  }

  /** A value that does not open is left unchanged, counted and logged; the vault has raised its alarm. */
  async rewrapAll(progress: (table: string, done: Rewrapped) => void = () => undefined): Promise<Rewrapped> {
    let [rewrapped, broken] = [0, 0];
    for (const column of this.columns) {
      const done = await this.rewrapColumn(column);
      progress(`${column.table}.${column.column}`, done);
      rewrapped += done.rewrapped;
      broken += done.broken;
    }
    return { rewrapped, broken };
  }

  async openAll(progress: (column: string, opened: number) => void): Promise<{ opened: number; broken: number }> {
    const all = { opened: 0, broken: 0 };
    for (const sealedColumn of this.columns) {
      const { table, column, key, context } = sealedColumn;
      let opened = 0;
      for await (const row of this.rowsOf(sealedColumn)) {
        try {
          const binding = context(row);
          await this.vault.ready(ownerOf(binding), row.sealed);
          this.vault.open(row.sealed, binding).fill(0);
          opened++;
        } catch (error) {
          if (!(error instanceof SealBroken)) throw error;
          all.broken++;
          const row_key = Object.fromEntries(key.map((name) => [name, row[name]]));
          this.log.error({ table, column, row_key, err: error.message }, 'a sealed value does not open');
        }
      }
      all.opened += opened;
      progress(`${table}.${column}`, opened);
    }
    return all;
  }

  private async *rowsOf({ table, column, key, reads = [], owner }: SealedColumn): AsyncGenerator<SealedRow> {
    const columns = columnsRead({ key, reads, owner });
    const isAfter = `and (${key.join(', ')}) > (${key.map((_, i) => `$${i + 1}`).join(', ')})`;
    for (let last: unknown[] | null = null; ;) {
      const rows: SealedRow[] = await this.database.list<SealedRow>(
        `select ${columns}, ${column} as sealed from ${table} where ${column} is not null ${last ? isAfter : ''}
          order by ${key.join(', ')} limit ${BATCH}`,
        last ?? [],
      );
      yield* rows;
      if (rows.length < BATCH) return;
      last = key.map((name) => rows.at(-1)![name]);
    }
  }

  /** A provider with all its generations counts as one. It reads every value, in one statement for each column. */
  async sealedBy(): Promise<readonly SealedValues[]> {
    const found = new Map<string, SealedValues>();
    for (const { table, column } of this.columns) {
      const rows = await this.database.list<{ id: Buffer; values: number }>(
        `select ${keyIdOf(column)} as id, count(*)::int as values from ${table} where ${column} is not null group by 1`,
      );
      for (const { id, values } of rows) {
        const sealer = sealerOf(id.toString('latin1'));
        const name = `${sealer.holder}:${sealer.masterKey}`;
        found.set(name, { ...sealer, values: values + (found.get(name)?.values ?? 0) });
      }
    }
    return [...found.values()];
  }

  /** Call it only when every replica has the current key first: a replica may still seal under a previous one. */
  async retireUnused(): Promise<string[]> {
    const inUse = (await this.sealedBy()).flatMap(({ masterKey }) => masterKey || []);
    const query: Query = (sql, parameters) => this.database.write(sql, parameters);
    return retireMasterKeys(query, this.keyring, inUse, !this.config.hasKeyProvider);
  }

  private async rewrapColumn(sealedColumn: SealedColumn): Promise<Rewrapped> {
    const { table, column, key, reads = [], owner, isExtended = false } = sealedColumn;
    const columns = columnsRead({ key, reads, owner });
    const provider = this.config.keyProviders?.current;
    const keyId = provider ? `substring(${keyIdOf(column)} for ${provider.length + 1})` : keyIdOf(column);
    const isOld = `(${keyId} <> convert_to($1, 'UTF8')${isExtended ? ` or substring(${column} for 1) = decode('01', 'hex')` : ''})`;
    const isAfter = `(${key.join(', ')}) > (${key.map((_, i) => `$${i + 2}`).join(', ')})`;
    const done = { rewrapped: 0, broken: 0 };
    // In the order of the primary key, so that values that do not open are skipped and no row is read twice.
    for (let last: unknown[] | null = null; ;) {
      const rows: SealedRow[] = await this.database.list<SealedRow>(
        `select ${columns}, ${column} as sealed from ${table}
          where ${column} is not null and ${isOld} ${last ? `and ${isAfter}` : ''}
          order by ${key.join(', ')} limit ${BATCH}`,
        [provider ? `${provider}:` : this.keyring.currentId, ...(last ?? [])],
      );
      for (const portion of portionsOf(rows, AT_ONCE))
        for (const isMoved of await Promise.all(portion.map((row) => this.rewrapRow(sealedColumn, row))))
          done[isMoved ? 'rewrapped' : 'broken']++;
      if (rows.length < BATCH) return done;
      last = key.map((name) => rows.at(-1)![name]);
    }
  }

  private async rewrapRow({ table, column, key, context }: SealedColumn, row: SealedRow): Promise<boolean> {
    const matches = key.map((name, i) => `${name} = $${i + 3}`).join(' and ');
    try {
      const binding = context(row);
      await this.vault.ready(ownerOf(binding), row.sealed);
      const sealed = this.vault.rewrap(row.sealed, binding);
      // Written, null would destroy the value.
      if (sealed === null) return true;
      await this.database.write(`update ${table} set ${column} = $1 where ${column} = $2 and ${matches}`, [
        sealed,
        row.sealed,
        ...key.map((name) => row[name]),
      ]);
      return true;
    } catch (error) {
      if (!(error instanceof SealBroken)) throw error;
      const row_key = Object.fromEntries(key.map((name) => [name, row[name]]));
      this.log.error({ table, column, row_key, err: error.message }, 'a sealed value does not open');
      return false;
    }
  }
}

function sealerOf(id: string): Sealer {
  const provider = PROVIDERS.find((each) => id.startsWith(`${each}:`));
  if (provider) return { holder: provider, masterKey: '' };
  return KEY_ID.test(id) ? { holder: MASTER_KEYS, masterKey: id } : { holder: 'unknown', masterKey: '' };
}

type SealedRow = Readonly<Record<string, unknown>> & { readonly sealed: Buffer };

function columnsRead({ key, reads = [], owner }: Pick<SealedColumn, 'key' | 'reads' | 'owner'>): string {
  return [...new Set([...key, ...reads, ...(owner === undefined ? [] : [owner])])].join(', ');
}
