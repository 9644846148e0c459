import { Injectable } from '@nestjs/common';
import type { AppId, TotpId, UserId } from '../../../kernel/ids.js';
import { MacTables, RowMacs } from '../../../kernel/row-macs.js';
import { Database } from '../../../postgres/database.js';
import { named } from '../../../postgres/statement.js';
import { TooManyRequests } from '../../../kernel/errors.js';
import { type SealedTotp, type Totp, TRIES, type HeldTotp, TotpRepository } from '../domain/totp.js';

/** An expired pending enrolment does not exist, even before its row is deleted. */
const LIVE = '(verified_at is not null or expires_at > now())';

/** The seals of its secrets are bound to the row as well. */
const TOTP_MAC = MacTables.declare({ table: 'totps', since: 3, fields: ['userId', 'verifiedAt'] });

const ENROL = named<SealedTotp & { minutes: number; mac: Buffer }>(`
  insert into totps as t (app_id, id, user_id, sealed_secret, sealed_recovery_codes, used_recovery_codes, expires_at, tries,
    created_at, updated_at, mac)
  values ($appId, $id, $userId, $sealedSecret, $sealedRecoveryCodes, '{}', now() + make_interval(mins => $minutes::int), 0, now(), now(), $mac)
  on conflict on constraint totps_of_user do update set
    id = excluded.id, sealed_secret = excluded.sealed_secret, sealed_recovery_codes = excluded.sealed_recovery_codes,
    used_recovery_codes = excluded.used_recovery_codes, recovery_codes_read_at = null, expires_at = excluded.expires_at, last_used_step = null,
    tries = 0, last_tried_at = null, created_at = excluded.created_at, updated_at = excluded.updated_at,
    mac = excluded.mac
  where t.verified_at is null
  returning id`);

const columns = (
  now: string,
) => `app_id as "appId", id, user_id as "userId", sealed_secret as "sealedSecret", sealed_recovery_codes as "sealedRecoveryCodes",
  verified_at is not null as "isActive", verified_at as "verifiedAt", mac, used_recovery_codes as "usedRecoveryCodes", ${now} as "asOf"`;

const withOwner = (totp: string): string => `
  with c as materialized (select now() as now, now() - interval '${TRIES.seconds} seconds' as lull_began_at),
  totp as (${totp})
  select u.state as owner, totp.*
    from live_users u left join totp on true
   where u.app_id = $1 and u.user_id = $2`;

const OF_USER = withOwner(`select ${columns('c.now')} from totps, c where app_id = $1 and user_id = $2 and ${LIVE}`);

const IS_CONSECUTIVE = `last_tried_at > c.lull_began_at`;
// The row lock serialises concurrent tries, so none is lost. A count above the maximum means that this try is refused.
const TRY_OF = withOwner(`
  update totps set
    tries = case when ${IS_CONSECUTIVE} then least(tries, ${TRIES.max}) + 1 else 1 end,
    last_tried_at = case when ${IS_CONSECUTIVE} and tries >= ${TRIES.max} then last_tried_at else c.now end
  from c where app_id = $1 and user_id = $2 and ${LIVE}
  returning ${columns('c.now')},
    case when tries > ${TRIES.max} then extract(epoch from last_tried_at - c.lull_began_at)::float8 end as "refusedSeconds"`);

/** A takeover or a deletion of the account locks in the same order. */
const HOLD_OWNER = 'select hold_user($1, $2)';
// The condition lets one of several concurrent calls succeed.
const spend = (what: string, unspent: string, returning: string): string => `
  with c as materialized (select now() as now)
  update totps set ${what}, tries = 0, updated_at = case when verified_at is null then c.now else updated_at end
    from c
   where app_id = $1 and id = $3 and exists (select 1 from live_users u where u.app_id = $1 and u.user_id = $2) and ${unspent}
  returning ${returning}`;

const SPEND_STEP = spend(
  'last_used_step = $4, verified_at = coalesce(verified_at, c.now)',
  `(last_used_step is null or last_used_step < $4) and ${LIVE}`,
  // now() is the start of the transaction, so the values are equal only if this transaction set verified_at.
  'verified_at = c.now as "isActivation", verified_at as "verifiedAt"',
);

const SPEND_RECOVERY_CODE = spend(
  'used_recovery_codes = used_recovery_codes || $4::smallint',
  'verified_at is not null and $4::smallint <> all(used_recovery_codes)',
  'id',
);

const RECORD_READING = `update totps set recovery_codes_read_at = now() where app_id = $1 and id = $2`;
const OWNER_OF = `select user_id as "userId" from totps where app_id = $1 and id = $2 and ${LIVE}`;
const REMOVE = `delete from totps where app_id = $1 and id = $2 returning id`;
const FORGET_TRIES = `update totps set tries = 0 where app_id = $1 and user_id = $2`;
const REMOVE_ALL_OF = `delete from totps where app_id = $1 and user_id = $2 returning app_id`;

type TotpRow = Totp & { readonly verifiedAt: Date | null; readonly mac: Buffer | null };
type HeldRow = { readonly owner: 'active' | 'inactive' } & (TotpRow | { readonly id: null });
type Spent = { readonly isActivation: boolean; readonly verifiedAt: Date };
type TriedRow = HeldRow & { readonly refusedSeconds: number | null };

@Injectable()
export class PostgresTotpRepository extends TotpRepository {
  constructor(
    private readonly database: Database,
    private readonly macs: RowMacs,
  ) {
    super();
  }

  async enrol(totp: SealedTotp, minutes: number): Promise<boolean> {
    const mac = this.macs.of(TOTP_MAC, { ...totp, verifiedAt: null });
    return (await this.database.write(...ENROL({ ...totp, minutes, mac }))).length > 0;
  }

  async ofUser(appId: AppId, userId: UserId): Promise<HeldTotp> {
    return this.held((await this.database.read<HeldRow>(OF_USER, [appId, userId]))[0]);
  }

  async tryOf(appId: AppId, userId: UserId): Promise<HeldTotp> {
    const [row] = await this.database.write<TriedRow>(TRY_OF, [appId, userId]);
    if (row && row.refusedSeconds !== null) {
      const policy = { name: 'totp-tries', quota: TRIES.max, windowSeconds: TRIES.seconds };
      throw new TooManyRequests(
        Math.max(1, Math.ceil(row.refusedSeconds)),
        policy,
        'Too many wrong codes. Wait before you try again.',
        userId,
      );
    }
    return this.held(row);
  }

  async spendStep(totp: Totp, step: number): Promise<{ readonly isActivation: boolean } | null> {
    const { appId, userId, id } = totp;
    void this.database.write(HOLD_OWNER, [appId, userId]);
    const [spent] = await this.database.write<Spent>(SPEND_STEP, [appId, userId, id, step]);
    if (!spent) return null;
    if (spent.isActivation) void this.macs.sign(TOTP_MAC, { ...totp, verifiedAt: spent.verifiedAt });
    return { isActivation: spent.isActivation };
  }

  async spendRecoveryCode({ appId, userId, id }: Totp, position: number): Promise<boolean> {
    void this.database.write(HOLD_OWNER, [appId, userId]);
    return (await this.database.write(SPEND_RECOVERY_CODE, [appId, userId, id, position])).length > 0;
  }

  async recordReading(appId: AppId, id: TotpId): Promise<void> {
    await this.database.write(RECORD_READING, [appId, id]);
  }

  async ownerOf(appId: AppId, id: TotpId): Promise<UserId | null> {
    return (await this.database.read<{ userId: UserId }>(OWNER_OF, [appId, id]))[0]?.userId ?? null;
  }

  async remove(appId: AppId, id: TotpId): Promise<boolean> {
    return (await this.database.write(REMOVE, [appId, id])).length > 0;
  }

  forgetTries(appId: AppId, userId: UserId): void {
    void this.database.write(FORGET_TRIES, [appId, userId]);
  }

  async removeAllOf(appId: AppId, userId: UserId): Promise<number> {
    return (await this.database.write(REMOVE_ALL_OF, [appId, userId])).length;
  }

  /** The authenticator keeps its MAC, which an activation replaces. */
  private held(row: HeldRow | undefined): HeldTotp {
    if (!row) return { owner: 'unknown', totp: null };
    const { owner, ...totp } = row;
    if (totp.id === null) return { owner, totp: null };
    this.macs.check(TOTP_MAC, totp);
    return { owner, totp };
  }
}
