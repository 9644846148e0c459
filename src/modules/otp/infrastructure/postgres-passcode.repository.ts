import { Injectable } from '@nestjs/common';
import type { AppId, UserId } from '../../../kernel/ids.js';
import { MacTables, RowMacs } from '../../../kernel/row-macs.js';
import { Database } from '../../../postgres/database.js';
import { endingOf, endOf } from '../../../postgres/former-hashes.js';
import { named } from '../../../postgres/statement.js';
import type { TokenHash } from '../../../kernel/secret-tokens.js';
import {
  type MethodId,
  type Passcode,
  PasscodeRepository,
  type SentCode,
  type TriedPasscode,
} from '../domain/passcode.js';

/** Whose code it is. The seal of the code is bound to the row as well. */
const PASSCODE_MAC = MacTables.declare({
  table: 'otps',
  since: 3,
  key: ['appId', 'methodId'],
  fields: ['userId', 'address'],
  ended: 'sealed_code is null',
});

// The replaced code, and the one before it unless that ended over an hour ago. Citus requires immutable expressions here.
const former = (column: string, replaced: string): string =>
  `${column} = array[${replaced}] || case when excluded.created_at - otps.former_ends[1] < interval '1 hour' then otps.${column}[1:1] else '{}' end`;

// An address has one row, so of concurrent sends the last code remains.
const ADD = named<Passcode & { readonly mac: Buffer; readonly minutes: number }>(`
  insert into otps (app_id, method_id, user_id, address, sealed_code, code_hash, created_at, expires_at, mac)
  values ($appId, $methodId, $userId, $address, $sealedCode, $codeHash, now(), now() + make_interval(mins => $minutes::int), $mac)
  on conflict (app_id, method_id) do update set
    user_id = excluded.user_id, address = excluded.address, sealed_code = excluded.sealed_code, code_hash = excluded.code_hash,
    generation = otps.generation + 1, tries = 0, spent_at = null, created_at = excluded.created_at, expires_at = excluded.expires_at, mac = excluded.mac,
    ${former('former_hashes', 'otps.code_hash')},
    ${former('former_ends', endOf('otps', 'spent_at', 'excluded.created_at'))},
    ${former('former_endings', endingOf('otps', 'spent_at', 'excluded.created_at'))}`);

// Concurrent tries wait for the row lock, and each gets its own number.
const BEGIN_TRY = `
  with c as materialized (select now() as now)
  update otps set tries = tries + (user_id = coalesce($3, user_id))::int
    from c
   where app_id = $1 and method_id = $2
  returning app_id as "appId", method_id as "methodId", user_id as "userId", address, sealed_code as "sealedCode", mac, generation, tries,
    sealed_code is not null and expires_at > c.now as "isLive", c.now as "asOf",
    array[code_hash] || former_hashes as hashes, array[coalesce(spent_at, expires_at)] || former_ends as ends,
    array[case when sealed_code is null then 'spent' else 'expired' end] || former_endings as endings,
    exists (select from verified_emails e
             where e.app_id = $1 and e.email_id = otps.method_id and e.user_id = otps.user_id)
    or exists (select from verified_phone_numbers p
                where p.app_id = $1 and p.phone_number_id = otps.method_id and p.user_id = otps.user_id) as "isProved"`;

const GIVE_BACK_TRY = `
  update otps set tries = tries - 1 where app_id = $1 and method_id = $2 and generation = $3 and tries > 0`;

// The update waits for the row lock of the passcode; a concurrent call then finds it spent.
const LOCK_OWNER = 'select lock_user($1, $2)';
const SPEND = `
  update otps set sealed_code = null, spent_at = now(), mac = null
   where app_id = $1 and method_id = $2 and generation = $3 and sealed_code is not null
     and exists (select 1 from live_users u where u.app_id = $1 and u.user_id = $4)
  returning method_id`;

const REVOKE_ALL_OF = `
  update otps set sealed_code = null, spent_at = now(), mac = null
   where app_id = $1 and user_id = $2 and sealed_code is not null and method_id <> all ($3) returning app_id`;

interface TriedRow extends Omit<TriedPasscode, 'codes'> {
  readonly hashes: readonly (TokenHash | null)[];
  readonly ends: readonly Date[];
  readonly endings: readonly SentCode['ending'][];
  readonly mac: Buffer | null;
}

@Injectable()
export class PostgresPasscodeRepository extends PasscodeRepository {
  constructor(
    private readonly database: Database,
    private readonly macs: RowMacs,
  ) {
    super();
  }

  add(passcode: Passcode, minutes: number): void {
    void this.database.write(...ADD({ ...this.macs.withMac(PASSCODE_MAC, passcode), minutes }));
  }

  async beginTry(appId: AppId, methodId: MethodId, sessionUserId: UserId | null): Promise<TriedPasscode | null> {
    const [row] = await this.database.write<TriedRow>(BEGIN_TRY, [appId, methodId, sessionUserId]);
    if (!row) return null;
    if (row.sealedCode) this.macs.check(PASSCODE_MAC, row);
    const { hashes, ends, endings, mac: _, ...passcode } = row;
    return {
      ...passcode,
      codes: hashes.map((hash, position) => ({ hash, endsAt: ends[position]!, ending: endings[position]! })),
    };
  }

  giveBackTry({ appId, methodId, generation }: TriedPasscode): void {
    void this.database.write(GIVE_BACK_TRY, [appId, methodId, generation]);
  }

  async spend({ appId, methodId, generation, userId }: TriedPasscode): Promise<boolean> {
    void this.database.write(LOCK_OWNER, [appId, userId]);
    return (await this.database.write(SPEND, [appId, methodId, generation, userId])).length > 0;
  }

  async revokeAllOf(appId: AppId, userId: UserId, except: readonly string[]): Promise<number> {
    return (await this.database.write(REVOKE_ALL_OF, [appId, userId, except])).length;
  }
}
