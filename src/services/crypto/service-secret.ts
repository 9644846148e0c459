import { createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { OnModuleDestroy } from '@nestjs/common';
import { remembered } from '../../kernel/collections.js';
import { KeysUnavailable } from '../../kernel/errors.js';
import type { Log } from '../../kernel/log.js';
import { ServiceKeys } from '../../kernel/service-keys.js';
import { SealBroken, type SealContext, type SealedColumn, type Vault } from '../../kernel/vault.js';
import { TokenHashColumns } from '../../kernel/secret-tokens.js';
import type { HashForm, Query } from './key-check.js';
import { KEYED_HASH_BYTES } from './random-secret-tokens.js';

/**
 * Keys of the table's only row. Each but the first is a mark: an absent MAC of a row is a wrong one. A release that gives MACs to
 * further tables or fields adds one. The seal is bound to the key, so SQL alone cannot bring an earlier mark back, and earlier
 * releases, which write fewer MACs, refuse to start.
 */
const IDS = [
  'service',
  'service-sealed-rows',
  'service-sealed-rows-2',
  'service-sealed-rows-3',
  'service-sealed-rows-4',
  'service-sealed-rows-5',
] as const;
const ID = IDS[0];
export const ROWS_MARK = IDS.length - 1;
const SEALED_ROWS_ID: string = IDS.at(-1)!;
const SECRET_BYTES = 32;

const contextOf = (id: string): SealContext => ['service-secret', id];

export const SERVICE_SECRET_COLUMN: SealedColumn = {
  table: 'service_secrets',
  column: 'sealed_secret',
  key: ['id'],
  context: (row) => contextOf(String(row['id'])),
};

/** A database with keyed hashes and no secret is refused: a new one would recognise none. In the transaction of `verifyKeyring`. */
export async function openServiceSecret(query: Query, vault: Vault, form: HashForm): Promise<ServiceKeys> {
  let sealed = await stored(query);
  if (!sealed) {
    if (form === 'keyed' || (await hasKeyedHash(query)))
      throw new ServiceSecretRefused('is missing, and hashes in this database were made by it');
    // A database without master keys has no rows yet that an earlier release wrote.
    await make(query, vault, form === 'none' ? SEALED_ROWS_ID : ID);
    sealed = await stored(query);
  }
  try {
    return new DerivedKeys(vault.open(sealed!.value, contextOf(sealed!.id)));
  } catch (error) {
    if (error instanceof SealBroken) throw new ServiceSecretRefused(`does not open. ${error.message}`, error);
    throw error;
  }
}

async function hasKeyedHash(query: Query): Promise<boolean> {
  for (const { table, column } of TokenHashColumns.declared) {
    const found = await query(`select 1 from ${table} where octet_length(${column}) = ${KEYED_HASH_BYTES} limit 1`);
    if (found.length > 0) return true;
  }
  return false;
}

interface Stored {
  readonly id: string;
  readonly value: Buffer;
}

async function stored(query: Query): Promise<Stored | undefined> {
  const [row] = await query<Stored>(
    `select id, sealed_secret as value from service_secrets where id = any($1) order by id desc limit 1`,
    [IDS],
  );
  return row;
}

async function make(query: Query, vault: Vault, id: string): Promise<void> {
  const secret = randomBytes(SECRET_BYTES);
  const sealed = vault.seal(secret, contextOf(id));
  secret.fill(0);
  await query(`insert into service_secrets (id, sealed_secret) values ($1, $2) on conflict (id) do nothing`, [
    id,
    sealed,
  ]);
}

/** An absent MAC in a table that the mark covers is a wrong one. 0: no row has one yet. */
export async function rowsMark(query: Query): Promise<number> {
  const id = (await stored(query))?.id;
  return Math.max(
    0,
    IDS.findIndex((each) => each === id),
  );
}

/** Call it when all rows have their MACs; a second call does nothing. */
export async function markRowsSealed(query: Query, vault: Vault): Promise<void> {
  const sealed = await stored(query);
  if (!sealed || sealed.id === SEALED_ROWS_ID) return;
  const secret = vault.open(sealed.value, contextOf(sealed.id));
  const moved = vault.seal(secret, contextOf(SEALED_ROWS_ID));
  secret.fill(0);
  await query(`update service_secrets set id = $1, sealed_secret = $2 where id = $3`, [
    SEALED_ROWS_ID,
    moved,
    sealed.id,
  ]);
}

/** HKDF-SHA-256, with the purpose as `info`. */
export class DerivedKeys extends ServiceKeys {
  private readonly secret: KeyObject;

  constructor(secret: Buffer) {
    super();
    this.secret = createSecretKey(secret);
    secret.fill(0);
  }

  readonly derive = remembered((purpose: string) =>
    createSecretKey(Buffer.from(hkdfSync('sha256', this.secret, '', purpose, SECRET_BYTES))),
  );

  readonly isOpen = true;

  async whenOpen(): Promise<void> {}
}

const PAUSE_MS = 2_000;

/** The service starts although its key provider does not respond, and tries again until the secret is open. */
export class AwaitedKeys extends ServiceKeys implements OnModuleDestroy {
  private keys: ServiceKeys | undefined;
  private readonly stop = new AbortController();
  private opened: Promise<void> = Promise.resolve();

  private constructor() {
    super();
  }

  static async open(open: () => Promise<ServiceKeys>, log: Log): Promise<AwaitedKeys> {
    const awaited = new AwaitedKeys();
    try {
      awaited.keys = await open();
    } catch (error) {
      if (!(error instanceof KeysUnavailable)) throw error;
      log.error({ err: error }, 'The key provider is not available. Calls with credentials are refused until it is.');
      awaited.opened = awaited.tryAgain(open, log);
    }
    return awaited;
  }

  derive(purpose: string): KeyObject {
    if (!this.keys) throw new KeysUnavailable();
    return this.keys.derive(purpose);
  }

  get isOpen(): boolean {
    return this.keys !== undefined;
  }

  whenOpen(): Promise<void> {
    return this.opened;
  }

  onModuleDestroy(): void {
    this.stop.abort();
  }

  private async tryAgain(open: () => Promise<ServiceKeys>, log: Log): Promise<void> {
    const { signal } = this.stop;
    while (!this.keys) {
      await pause(PAUSE_MS, undefined, { ref: false, signal }).catch(() => undefined);
      // The promise stays pending: no caller continues in a service that stops.
      if (signal.aborted) return new Promise(() => undefined);
      try {
        this.keys = await open();
        log.info('The key provider is available. Calls with credentials are served.');
      } catch (error) {
        if (!(error instanceof KeysUnavailable)) log.error({ err: error }, 'The secret of the service does not open.');
      }
    }
  }
}

/** Keys, sessions and the audit log could not be checked. */
export class ServiceSecretRefused extends Error {
  override readonly name = 'ServiceSecretRefused';

  constructor(fault: string, cause?: Error) {
    super(
      `The row "${ID}" of the table service_secrets ${fault}. Restore the row from a backup of this database.`,
      cause && { cause },
    );
  }
}
