import { Injectable } from '@nestjs/common';
import type { AppId, UserId, WalletRegistrationId } from '../../../../kernel/ids.js';
import { Database } from '../../../../postgres/database.js';
import { named } from '../../../../postgres/statement.js';
import {
  MOST_OPEN_REGISTRATIONS,
  REGISTRATION_MINUTES,
  type KeptRegistration,
  type Registration,
  type RegistrationForm,
  type OpenRegistration,
  type RegistrationClues,
  RegistrationRepository,
} from '../domain/registration.js';

const KEPT = `app_id as "appId", id, form, wallet_type as "walletType", public_address as "publicAddress", user_id as "userId",
         attaches, nonce, challenge, created_at as "createdAt"`;

// A registration is shared for as long as new ones are kept, so at most twice as many are open at once.
const ADD = named<Registration & { readonly minutes: number }>(`
  with newest as (
    select id from wallet_registrations
     where app_id = $appId and public_address = $publicAddress and form = $form and attaches = $attaches
       and (not $attaches::boolean or user_id = $userId) and spent_at is null
       and created_at > now() - make_interval(mins => $minutes::int)
     order by id desc limit ${MOST_OPEN_REGISTRATIONS}
  ),
  shared as (
    update wallet_registrations set expires_at = now() + make_interval(mins => $minutes::int)
     where app_id = $appId and id = (select max(id) from newest having count(*) = ${MOST_OPEN_REGISTRATIONS})
       and spent_at is null
    returning ${KEPT}, expires_at as "expiresAt"
  ),
  added as (
    insert into wallet_registrations
      (app_id, id, form, wallet_type, public_address, user_id, attaches, nonce, challenge, created_at, expires_at)
    select $appId, $id, $form, $walletType, $publicAddress, $userId, $attaches, $nonce, $challenge, now(),
           now() + make_interval(mins => $minutes::int)
     where not exists (select from shared)
    returning ${KEPT}, expires_at as "expiresAt"
  )
  select * from shared union all select * from added`);

const OPEN = `
  select ${KEPT}, now() as "asOf"
    from wallet_registrations
   where app_id = $appId and form = $form and spent_at is null and expires_at > now() and ($nonce::text is null or nonce = $nonce)`;
const FIND_OPEN_OF_ADDRESS = named(`${OPEN} and public_address = $publicAddress and ($id::text is null or id = $id)
   order by attaches and user_id is distinct from $userId, id desc limit $limit`);
const FIND_OPEN_BY_ID = named(`${OPEN} and id = $id limit $limit`);

// When two updates run at once, the second waits for the first and then finds no unspent row any more.
const SPEND = `
  update wallet_registrations set spent_at = now()
   where app_id = $1 and id = $2 and spent_at is null and expires_at > now()
  returning id`;

const KEPT_USER = `
  select r.user_id as "userId"
    from wallet_registrations r join live_users u on u.app_id = r.app_id and u.user_id = r.user_id
   where r.app_id = $1 and r.public_address = $2 and r.spent_at is null and not r.attaches and u.is_open and u.state = 'active'
   order by r.id desc limit 1`;

const REVOKE_ALL_OF = `
  update wallet_registrations set spent_at = now()
   where app_id = $1 and user_id = $2 and attaches and spent_at is null returning app_id`;

@Injectable()
export class PostgresRegistrationRepository extends RegistrationRepository {
  constructor(private readonly database: Database) {
    super();
  }

  async add(registration: Registration): Promise<KeptRegistration> {
    const statement = ADD({ ...registration, minutes: REGISTRATION_MINUTES });
    return (await this.database.write<KeptRegistration>(...statement))[0]!;
  }

  findOpen(appId: AppId, form: RegistrationForm, clues: RegistrationClues, limit: number): Promise<OpenRegistration[]> {
    const { id = null, publicAddress = null, nonce = null, userId = null } = clues;
    const find = publicAddress === null ? FIND_OPEN_BY_ID : FIND_OPEN_OF_ADDRESS;
    return this.database.read(...find({ appId, form, id, publicAddress, nonce, userId, limit }));
  }

  async spend(appId: AppId, id: WalletRegistrationId): Promise<boolean> {
    return (await this.database.write(SPEND, [appId, id])).length > 0;
  }

  async keptUser(appId: AppId, publicAddress: string): Promise<UserId | null> {
    const [row] = await this.database.read<{ userId: UserId }>(KEPT_USER, [appId, publicAddress]);
    return row?.userId ?? null;
  }

  async revokeAllOf(appId: AppId, userId: UserId): Promise<number> {
    return (await this.database.write(REVOKE_ALL_OF, [appId, userId])).length;
  }
}
