import { Injectable } from '@nestjs/common';
import { Vault, type SealedColumn, SealedColumns } from '../../kernel/vault.js';
import { Database } from '../database/database.js';
import { retireMasterKeys } from './key-check.js';
import { Keyring } from './keyring.js';

const BATCH = 200;

/**
 * Moves sealed values to the current master key, online: batches of single-row updates, each only if the value is still
 * what was read, so it runs beside the service and may be stopped and started again at any line. Values are not opened.
 */
@Injectable()
export class Rewrapping extends SealedColumns {
  private readonly columns: SealedColumn[] = [];

  constructor(
    private readonly database: Database,
    private readonly vault: Vault,
    private readonly keyring: Keyring,
  ) {
    super();
  }

  register(column: SealedColumn): void {
    this.columns.push(column);
  }

  /** Re-wraps everything and answers how many values that were. */
  async rewrapAll(): Promise<number> {
    let count = 0;
    for (const column of this.columns) count += await this.rewrapColumn(column);
    return count;
  }

  /**
   * Lets go of the master keys under which nothing is sealed any more, and answers their ids: they may leave the keyring.
   * Only once every replica has the current key first, or one of them may still be sealing under an older.
   */
  async retireUnused(): Promise<string[]> {
    const inUse = new Set<string>();
    for (const { table, column } of this.columns) {
      const rows = await this.database.query<{ id: string }>(
        `select distinct ${keyIdOf(column)} as id from ${table} where ${column} is not null`,
      );
      for (const { id } of rows) inUse.add(id);
    }
    return retireMasterKeys((sql, parameters) => this.database.query(sql, parameters), this.keyring, [...inUse]);
  }

  private async rewrapColumn({ table, column, key, reads = [], context }: SealedColumn): Promise<number> {
    const wanted = [...new Set([...key, ...reads])].join(', ');
    const matches = key.map((name, i) => `${name} = $${i + 3}`).join(' and ');
    let count = 0;
    for (;;) {
      const rows = await this.database.query<Record<string, unknown> & { sealed: Buffer }>(
        `select ${wanted}, ${column} as sealed from ${table} where ${column} is not null and ${keyIdOf(column)} <> $1 limit ${BATCH}`,
        [this.keyring.currentId],
      );
      for (const row of rows) {
        const rewrapped = this.vault.rewrap(row.sealed, context(row));
        await this.database.query(`update ${table} set ${column} = $1 where ${column} = $2 and ${matches}`, [
          rewrapped,
          row.sealed,
          ...key.map((name) => row[name]),
        ]);
      }
      count += rows.length;
      if (rows.length < BATCH) return count;
    }
  }
}

/** The master key's id inside a sealed value; see `EnvelopeVault` for the format. */
function keyIdOf(column: string): string {
  return `convert_from(substring(${column} from 3 for get_byte(${column}, 1)), 'UTF8')`;
}
