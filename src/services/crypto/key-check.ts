import { timingSafeEqual } from 'node:crypto';
import { KeyringRefused, type Keyring } from './keyring.js';

export type Query = <R extends object>(sql: string, parameters?: readonly unknown[]) => Promise<R[]>;

/** `unkeyed`: of releases before 1.0. Only a master key makes a check value: SQL alone cannot make keyed hashes look unkeyed. */
export type HashForm = 'none' | 'unkeyed' | 'keyed';

/** Refuses another key under an id, and the lack of one that still seals. Without `seals`, none is added. Returns the earlier form. */
export async function verifyKeyring(query: Query, keyring: Keyring, seals = true): Promise<HashForm> {
  const form = await refuseStrangers(query, keyring);
  if (!seals) return form;
  // In the order of ids, so that simultaneous starts do not deadlock.
  const ids = keyring.ids.toSorted();
  await query(
    `insert into master_keys (key_id, check_value) select * from unnest($1::text[], $2::bytea[])
     on conflict (key_id) do nothing`,
    [ids, ids.map((id) => checkValue(keyring, id, form === 'unkeyed' ? 'unkeyed' : 'keyed'))],
  );
  // Another process may have stored a different key under the same id between the two statements.
  await refuseStrangers(query, keyring);
  await query(`update master_keys set retired_at = null where key_id = $1 and retired_at is not null`, [
    keyring.currentId,
  ]);
  return form;
}

export async function lockHashForm(query: Query, keyring: Keyring): Promise<HashForm> {
  return formIn(await query<Pick<CheckRow, 'key_id' | 'check_value'>>(`${CHECK_VALUES} for update`), keyring);
}

/** After it no hash without a key is accepted. Call it after `lockHashForm`, in its transaction. */
export async function markHashesKeyed(query: Query, keyring: Keyring): Promise<void> {
  const ids = keyring.ids;
  await query(
    `update master_keys m set check_value = v.check_value
       from unnest($1::text[], $2::bytea[]) as v (key_id, check_value) where m.key_id = v.key_id`,
    [ids, ids.map((id) => checkValue(keyring, id, 'keyed'))],
  );
}

/** Marks the keys under which no value is sealed. Call it after re-wrapping, when no process seals under a previous key. */
export async function retireMasterKeys(
  query: Query,
  keyring: Keyring,
  idsInUse: readonly string[],
  seals = true,
): Promise<string[]> {
  const retired = await query<{ key_id: string }>(
    `update master_keys set retired_at = now() where retired_at is null and key_id <> all($1::text[]) returning key_id`,
    [[...(seals ? [keyring.currentId] : []), ...idsInUse]],
  );
  return retired.map((row) => row.key_id);
}

interface CheckRow {
  readonly key_id: string;
  readonly check_value: Buffer;
  readonly retired: boolean;
}

const CHECK_VALUES = `select key_id, check_value, retired_at is not null as retired from master_keys order by key_id`;

async function refuseStrangers(query: Query, keyring: Keyring): Promise<HashForm> {
  const known = await query<CheckRow>(CHECK_VALUES);
  const faults = known.flatMap(({ key_id: id, check_value: stored, retired }) => {
    if (!keyring.has(id))
      return retired ? [] : [`Master key "${id}" is missing, and values are still sealed under it.`];
    return formOf(keyring, id, stored)
      ? []
      : [`Master key "${id}" is not the key that this database knows by that id.`];
  });
  if (faults.length > 0) throw new KeyringRefused(faults);
  return formIn(known, keyring);
}

function formIn(known: readonly Pick<CheckRow, 'key_id' | 'check_value'>[], keyring: Keyring): HashForm {
  const found = known.map(({ key_id: id, check_value: stored }) => keyring.has(id) && formOf(keyring, id, stored));
  return found.includes('keyed') ? 'keyed' : found.includes('unkeyed') ? 'unkeyed' : 'none';
}

function formOf(keyring: Keyring, id: string, stored: Buffer): (typeof FORMS)[number] | undefined {
  return FORMS.find((form) => isEqual(checkValue(keyring, id, form), stored));
}

const CHECK_LABELS = { unkeyed: 'check value v1', keyed: 'check value v2' };
const FORMS = ['unkeyed', 'keyed'] as const;

function checkValue(keyring: Keyring, id: string, form: (typeof FORMS)[number]): Buffer {
  return keyring.derive(id, CHECK_LABELS[form], Buffer.alloc(0));
}

export function isEqual(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
