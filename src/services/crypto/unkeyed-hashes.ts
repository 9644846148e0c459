import type { Log } from '../../kernel/log.js';
import { type TokenHashColumn, TokenHashColumns } from '../../kernel/secret-tokens.js';
import type { Transactions } from '../../kernel/transactions.js';
import type { Database } from '../../postgres/database.js';
import { lockHashForm, markHashesKeyed, type Query } from './key-check.js';
import type { Keyring } from './keyring.js';
import { rowsMark } from './service-secret.js';
import { type RandomSecretTokens, UNKEYED_HASH_BYTES } from './random-secret-tokens.js';

const BATCH = 1_000;

interface Row {
  readonly hash: Buffer;
  readonly [column: string]: unknown;
}

/** Runs once, by the check values of the master keys, which each batch locks. A hash shows by its length whether it has a key. */
export class UnkeyedHashes {
  private readonly query: Query = (sql, parameters) => this.database.write(sql, parameters);

  constructor(
    private readonly database: Database,
    private readonly transactions: Transactions,
    private readonly keyring: Keyring,
    private readonly tokens: RandomSecretTokens,
  ) {}

  /** From `until` on the hashes are refused and stay unchanged: an operator who missed the date may set a later one. */
  async keyUntil(until: Date, log: Log): Promise<void> {
    if ((await this.transactions.run(() => lockHashForm(this.query, this.keyring))) !== 'unkeyed') return;
    if (new Date() >= until) {
      log.warn(
        { until: until.toISOString() },
        'Keys and sessions of the previous release are refused: UNKEYED_HASHES_UNTIL has passed.',
      );
      return;
    }
    // The MAC of a row covers its hash.
    if ((await rowsMark(this.query)) > 0) {
      log.warn('Keys and sessions of the previous release are refused: the rows have their MACs.');
      return;
    }
    const started = performance.now();
    const keyed = await this.keyAll();
    log.info({ keyed, ms: Math.round(performance.now() - started) }, 'hashes of the previous release have a key');
  }

  /** Hashes of ended tokens stay unchanged and match no token. */
  private async keyAll(): Promise<number> {
    let keyed = 0;
    for (const column of TokenHashColumns.declared) {
      for (let last: Row | undefined; ;) {
        const batch = await this.whileUnkeyed(() => this.keyBatch(column, last));
        if (!batch) return keyed;
        keyed += batch.length;
        last = batch.at(-1);
        if (batch.length < BATCH) break;
      }
    }
    await this.whileUnkeyed(() => markHashesKeyed(this.query, this.keyring));
    return keyed;
  }

  private whileUnkeyed<T>(work: () => Promise<T>): Promise<T | null> {
    return this.transactions.run(async () =>
      (await lockHashForm(this.query, this.keyring)) === 'unkeyed' ? work() : null,
    );
  }

  private async keyBatch({ table, column, key, inUse }: TokenHashColumn, last: Row | undefined): Promise<Row[]> {
    const isAfter = `(${key.join(', ')}) > (${key.map((_, i) => `$${i + 1}`).join(', ')})`;
    const conditions = [`octet_length(${column}) = ${UNKEYED_HASH_BYTES}`, inUse, ...(last ? [isAfter] : [])];
    const rows = await this.database.list<Row>(
      `select ${key.join(', ')}, ${column} as hash from ${table}
        where ${conditions.join(' and ')} order by ${key.join(', ')} limit ${BATCH}`,
      last ? key.map((name) => last[name]) : [],
    );
    const matched = key.filter((name) => name !== column);
    const arrays = ['$1::bytea[]', '$2::bytea[]', ...matched.map((_, i) => `$${i + 3}::text[]`)];
    const names = ['hash', 'keyed', ...matched];
    const isSame = [`t.${column} = v.hash`, ...matched.map((name) => `t.${name} = v.${name}`)];
    await this.database.write(
      `update ${table} t set ${column} = v.keyed
         from unnest(${arrays.join(', ')}) as v (${names.join(', ')}) where ${isSame.join(' and ')}`,
      [
        rows.map(({ hash }) => hash),
        rows.map(({ hash }) => this.tokens.keyed(hash)),
        ...matched.map((name) => rows.map((row) => row[name])),
      ],
    );
    return rows;
  }
}
