import { Injectable } from '@nestjs/common';
import type { KeyOwner } from '../../kernel/app-keys.js';
import type { SealedColumn } from '../../kernel/vault.js';
import { Database } from '../../postgres/database.js';
import { KEY_ID } from './wrapping-key-table.js';

/** A sample of each column is enough: an app that has lost its only key has no values under other keys. */
const SAMPLE = 1_000;

@Injectable()
export class SealingKeys {
  readonly columns: SealedColumn[] = [];

  constructor(private readonly database: Database) {}

  /** The result includes the service's keys in rows of the owner. */
  async of(owner: KeyOwner): Promise<string[]> {
    const found = new Set<string>();
    for (const { table, column, key, owner: appColumn } of this.columns) {
      const namesApp = key.includes('app_id');
      if (owner === 'service' ? namesApp : !namesApp && appColumn === undefined) continue;
      const matches = owner !== 'service' ? 'app_id = $1' : appColumn === undefined ? 'true' : 'app_id is null';
      const rows = await this.database.list<{ id: Buffer }>(
        `select distinct id from (
           select ${keyIdOf(column)} as id from ${table} where ${column} is not null and ${matches} limit ${SAMPLE}) as sample`,
        owner === 'service' ? [] : [owner],
      );
      for (const { id } of rows) found.add(id.toString('latin1'));
    }
    return [...found].filter((id) => KEY_ID.test(id));
  }
}

/** See `EnvelopeVault` for the format. An altered value may have any form. */
export function keyIdOf(column: string): string {
  return `case when length(${column}) < 2 then ''::bytea else substring(${column} from 3 for get_byte(${column}, 1)) end`;
}
