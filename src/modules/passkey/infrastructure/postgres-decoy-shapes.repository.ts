import { Injectable } from '@nestjs/common';
import type { AppId } from '../../../kernel/ids.js';
import { Database } from '../../../postgres/database.js';
import { DECOY_BYTES, type ListShape, DecoyShapesRepository } from '../domain/decoy.js';

const SAMPLE_SIZE = 1_000;
/** Rare shapes are left out: an attacker may have made them, to recognise decoys by them. */
const MOST_SHAPES = 32;
/** The transports of WebAuthn. The maker of an authenticator could recognise decoys by any other name. */
const TRANSPORTS = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'];

const FIND = 'select shapes, sampled from webauthn_decoy_shapes where app_id = $1 and rp_id = $2';

// Ids of passkeys are random, so consecutive ones are a fair sample. Each hit counts as a part of the user's list.
const SAMPLE = `
  with first as (
    select user_id, rp_id from webauthn_credentials where app_id = $1 and credential_id >= $3 order by credential_id limit ${SAMPLE_SIZE}
  ),
  rest as (
    select user_id, rp_id from webauthn_credentials where app_id = $1 and credential_id < $3
     order by credential_id limit ${SAMPLE_SIZE} - (select count(*) from first)
  ),
  hits as (
    select user_id, count(*) as hits from (select * from first union all select * from rest) passkeys
     where rp_id = $2 group by user_id
  ),
  lists as (
    select h.hits, h.hits::float8 / count(*) as weight,
           json_agg(json_build_array(
             least(greatest(octet_length(c.credential_id), ${DECOY_BYTES.min}), ${DECOY_BYTES.max}),
             array(select t from unnest(c.transports) t where t = any($4::text[]) order by t)) order by c.id)::text as passkeys
      from hits h join webauthn_credentials c on c.user_id = h.user_id
     where c.app_id = $1 and c.rp_id = $2
     group by h.user_id, h.hits
  ),
  shapes as (
    select sum(weight) as weight, passkeys from lists group by passkeys order by 1 desc, 2 limit ${MOST_SHAPES}
  )
  insert into webauthn_decoy_shapes (app_id, rp_id, shapes, sampled)
  select $1, $2, coalesce((select jsonb_agg(jsonb_build_object('weight', weight, 'passkeys', passkeys::jsonb)) from shapes), '[]'),
         coalesce((select sum(hits) from hits), 0)::int
  on conflict (app_id, rp_id) do update set shapes = excluded.shapes, sampled = excluded.sampled`;

@Injectable()
export class PostgresDecoyShapesRepository extends DecoyShapesRepository {
  constructor(private readonly database: Database) {
    super();
  }

  async find(appId: AppId, rpId: string): Promise<{ shapes: readonly ListShape[]; sampled: number }> {
    const [row] = await this.database.read<{ shapes: readonly ListShape[]; sampled: number }>(FIND, [appId, rpId]);
    return row ?? { shapes: [], sampled: 0 };
  }

  async sample(appId: AppId, rpId: string, start: Buffer): Promise<void> {
    await this.database.write(SAMPLE, [appId, rpId, start, TRANSPORTS]);
  }
}
