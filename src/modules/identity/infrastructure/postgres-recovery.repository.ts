import { Injectable } from '@nestjs/common';
import type { AppId, UserId } from '../../../kernel/ids.js';
import { MacTables, RowMacs } from '../../../kernel/row-macs.js';
import { Database } from '../../../postgres/database.js';
import { named } from '../../../postgres/statement.js';
import type { Address } from '../domain/address.js';
import { RECOVERED_HOURS, type Recovery, RECOVERY_DAYS, RecoveryRepository } from '../domain/recovery.js';

const RECOVERY_MAC = MacTables.declare({
  table: 'recoveries',
  since: 3,
  key: ['appId', 'userId'],
  fields: ['kind', 'text', 'canonical', 'readyAt', 'expiresAt'],
});

const COLUMNS = `app_id as "appId", user_id as "userId", kind, text, canonical, begun_at as "begunAt", ready_at as "readyAt", expires_at as "expiresAt", mac`;

/** A completed recovery is never ready: it ends as it becomes so. Until then its address makes no session fresh. */
const IS_UNDER_WAY = 'ready_at < expires_at';
const FORGET = 'delete from recoveries where app_id = $1 and user_id = $2';
const REMOVE = `${FORGET} and ${IS_UNDER_WAY} returning user_id`;
const COMPLETE = `
  update recoveries set ready_at = ends.at, expires_at = ends.at
    from (select now() + interval '${RECOVERED_HOURS} hours' as at) ends
   where app_id = $1 and user_id = $2 returning ${COLUMNS}`;
/** An expired recovery does not keep the address. */
const REMOVE_EXPIRED =
  'delete from recoveries where app_id = $1 and kind = $2 and canonical = $3 and expires_at <= now()';

const BEGIN = named<Address & { readonly appId: AppId; readonly userId: UserId; readonly hours: number }>(`
  insert into recoveries (app_id, user_id, kind, text, canonical, begun_at, ready_at, expires_at)
  values ($appId, $userId, $kind, $text, $canonical, now(), now() + make_interval(hours => $hours::int),
          now() + make_interval(hours => $hours::int, days => ${RECOVERY_DAYS}))
  on conflict (app_id, kind, canonical) do nothing
  returning ${COLUMNS}`);

const OF_USER = `select ${COLUMNS} from recoveries where app_id = $1 and user_id = $2 and expires_at > now() and ${IS_UNDER_WAY}`;

const READY = `
  select ${COLUMNS} from recoveries
   where app_id = $1 and kind = $2 and canonical = $3 and ready_at <= now() and expires_at > now()`;

@Injectable()
export class PostgresRecoveryRepository extends RecoveryRepository {
  constructor(
    private readonly database: Database,
    private readonly macs: RowMacs,
  ) {
    super();
  }

  async begin(appId: AppId, userId: UserId, address: Address, hours: number): Promise<Recovery | null> {
    const { kind, text, canonical } = address;
    this.forget(appId, userId);
    void this.database.write(REMOVE_EXPIRED, [appId, kind, canonical]);
    const [begun] = await this.database.write<Recovery>(...BEGIN({ appId, userId, kind, text, canonical, hours }));
    if (begun) void this.macs.sign(RECOVERY_MAC, begun);
    return begun ?? null;
  }

  async ofUser(appId: AppId, userId: UserId): Promise<Recovery | null> {
    return this.macs.one(RECOVERY_MAC, await this.database.read<Recovery>(OF_USER, [appId, userId]));
  }

  async readyFor(appId: AppId, { kind, canonical }: Address): Promise<UserId | null> {
    const ready = await this.database.read<Recovery>(READY, [appId, kind, canonical]);
    return this.macs.one(RECOVERY_MAC, ready)?.userId ?? null;
  }

  async remove(appId: AppId, userId: UserId): Promise<boolean> {
    return (await this.database.write(REMOVE, [appId, userId])).length > 0;
  }

  async complete(appId: AppId, userId: UserId): Promise<void> {
    const [completed] = await this.database.write<Recovery>(COMPLETE, [appId, userId]);
    void this.macs.sign(RECOVERY_MAC, completed!);
  }

  forget(appId: AppId, userId: UserId): void {
    void this.database.write(FORGET, [appId, userId]);
  }
}
