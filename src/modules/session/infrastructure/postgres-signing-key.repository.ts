import { Injectable } from '@nestjs/common';
import type { AppId, SigningKeyId } from '../../../kernel/ids.js';
import { Database } from '../../../postgres/database.js';
import { named } from '../../../postgres/statement.js';
import { SeparateConnections } from '../../../postgres/separate-connections.js';
import {
  type NewSigningKey,
  type PublicJwk,
  type SigningKey,
  type RotationPeriods,
  SigningKeyRepository,
} from '../domain/signing-key.js';

const CREATE_FIRST = named(`
  insert into signing_keys (app_id, id, state, public_jwk, public_mac, sealed_private_key, activated_at)
  values ($appId, $currentId, 'current', $currentJwk, $currentMac, $currentKey, now()),
         ($appId, $nextId, 'next', $nextJwk, $nextMac, $nextKey, null)
  on conflict do nothing`);

@Injectable()
export class PostgresSigningKeyRepository extends SigningKeyRepository {
  constructor(
    private readonly database: Database,
    private readonly separateConnections: SeparateConnections,
  ) {
    super();
  }

  async of(appId: AppId): Promise<SigningKey[] | null> {
    const rows = await this.database.read<SigningKey | { id: null }>(
      `select k.app_id as "appId", k.id, k.state, k.public_jwk as "publicJwk", k.public_mac as "publicMac", k.sealed_private_key as "sealedPrivateKey",
              k.activated_at as "activatedAt", k.retired_at as "retiredAt", k.created_at as "createdAt"
         from live_apps a left join signing_keys k on k.app_id = a.app_id
        where a.app_id = $1
        order by k.id desc`,
      [appId],
    );
    return rows.length === 0 ? null : rows.filter((row) => row.id !== null);
  }

  async createFirst(appId: AppId, current: NewSigningKey, next: NewSigningKey): Promise<void> {
    await this.separateConnections.query(
      ...CREATE_FIRST({
        appId,
        currentId: current.id,
        currentJwk: current.publicJwk,
        currentMac: current.publicMac,
        currentKey: current.sealedPrivateKey,
        nextId: next.id,
        nextJwk: next.publicJwk,
        nextMac: next.publicMac,
        nextKey: next.sealedPrivateKey,
      }),
    );
  }

  async rotate(
    appId: AppId,
    next: NewSigningKey,
    { publishedMinutes, retentionMinutes }: RotationPeriods,
  ): Promise<boolean> {
    // The update decides: one that waited finds no current key. The first two keys are created together: verifiers know both.
    const retired = await this.database.write(
      `update signing_keys k set state = 'previous', retired_at = now()
        where app_id = $1 and state = 'current' and exists (
          select from signing_keys n
           where n.app_id = $1 and n.state = 'next'
             and (n.created_at <= now() - make_interval(mins => $2::int) or n.created_at = k.created_at))
       returning id`,
      [appId, publishedMinutes],
    );
    if (retired.length === 0) return false;
    await this.database.write(
      `update signing_keys set state = 'current', activated_at = now() where app_id = $1 and state = 'next'`,
      [appId],
    );
    await this.database.write(
      `with forgotten as (
         delete from signing_keys
          where app_id = $1 and state = 'previous' and retired_at < now() - make_interval(mins => $5::int)
       )
       insert into signing_keys (app_id, id, state, public_jwk, sealed_private_key, public_mac)
       values ($1, $2, 'next', $3, $4, $6)`,
      [appId, next.id, next.publicJwk, next.sealedPrivateKey, retentionMinutes, next.publicMac],
    );
    return true;
  }

  async authenticate(appId: AppId, id: SigningKeyId, publicJwk: PublicJwk, publicMac: Buffer): Promise<void> {
    await this.database.write(
      `update signing_keys set public_jwk = $3, public_mac = $4 where app_id = $1 and id = $2 and public_mac is null`,
      [appId, id, publicJwk, publicMac],
    );
  }

  async dueForRotation(days: number, limit: number): Promise<AppId[]> {
    const rows = await this.database.read<{ appId: AppId }>(
      `select k.app_id as "appId" from signing_keys k join live_apps a on a.app_id = k.app_id
        where k.state = 'current' and k.activated_at <= now() - make_interval(days => $1::int)
        order by k.activated_at limit $2`,
      [days, limit],
    );
    return rows.map(({ appId }) => appId);
  }
}
