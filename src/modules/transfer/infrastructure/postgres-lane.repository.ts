import { Injectable } from '@nestjs/common';
import type { TransferId } from '../../../kernel/ids.js';
import { Database } from '../../../platform/database/database.js';
import { AppNotFound } from '../../apps/index.js';
import { WalletNotFound } from '../../wallet/index.js';
import type { Attempt } from '../domain/attempt.js';
import type { SignedAttempt } from '../domain/chain.js';
import type { Lane, LaneId } from '../domain/lane.js';
import { LaneRepository } from '../domain/lane.repository.js';
import type { Transfer } from '../domain/transfer.js';
import { ATTEMPT, attemptOf, type AttemptRow } from './attempt-rows.js';

// Makes the lane or locks it: an upsert that changes nothing still holds the row.
const LOCK = `
  insert into chain_lanes as l (app_id, network, address) values ($1, $2, $3)
  on conflict (app_id, network, address) do update set next_nonce = l.next_nonce`;

// A statement of its own, after the lock: what it sees is what the holder before has left. What was mined before the
// balances were asked for has left them already; counting it again would refuse what is there.
const STATE = `
  select a.deleted_at is not null as "isAppDeleted",
         exists (select from wallets where app_id = $1 and id = $7 and deleted_at is null) as "hasWallet",
         (select next_nonce from chain_lanes where app_id = $1 and network = $2 and address = $3) as "nextNonce",
         coalesce(sum(t.fee_cap + case when t.token is null then t.amount else 0 end) filter (where t.reserves), 0) as coin,
         coalesce(sum(t.amount) filter (where t.reserves and t.token = $5), 0) as asset,
         (count(*) filter (where t.status = 'pending' and t.stage <> 'queued'))::int as open
    from apps a
    left join lateral (
      select *, mined_at is null or mined_at >= $6 as reserves from transfers
       where app_id = $1 and network = $2 and source_address = $3 and id <> $4 and (status = 'pending' or mined_at >= $6)
    ) t on true
   where a.id = $1
   group by a.deleted_at`;

const SIGNED = `status = 'pending' and stage <> 'queued'`;

const HEAD = `
  select t.id from transfers t join transfer_attempts a on a.app_id = t.app_id and a.transfer_id = t.id
   where t.app_id = $1 and t.network = $2 and t.source_address = $3 and t.${SIGNED}
   order by a.nonce limit 1`;

const IS_OPEN = `
  select exists (select from transfers where app_id = $1 and network = $2 and source_address = $3 and ${SIGNED}) as open`;

const ATTEMPTS_AT = `
  select ${ATTEMPT} from transfer_attempts where app_id = $1 and network = $2 and address = $3 and nonce = $4 order by ordinal`;

const STORE_CANCELLATION = `
  insert into transfer_attempts (app_id, network, hash, kind, ordinal, address, raw, nonce, max_fee, first_broadcast_started_at)
  values ($1, $2, $4, 'cancellation', $5, $3, $6, $7, $8, now())`;

interface LaneRow {
  readonly isAppDeleted: boolean;
  readonly hasWallet: boolean;
  readonly nextNonce: string | null;
  readonly coin: string;
  readonly asset: string;
  readonly open: number;
}

@Injectable()
export class PostgresLaneRepository extends LaneRepository {
  constructor(private readonly database: Database) {
    super();
  }

  async lock(id: LaneId, transfer: Pick<Transfer, 'id' | 'source' | 'token'>, balancesAt: Date): Promise<Lane> {
    this.database.write(LOCK, place(id));
    const state = await this.database.one<LaneRow>(STATE, [
      ...place(id),
      transfer.id,
      transfer.token,
      balancesAt,
      transfer.source,
    ]);
    if (!state || state.isAppDeleted) throw new AppNotFound();
    if (!state.hasWallet) throw new WalletNotFound();
    return {
      ...id,
      nextNonce: state.nextNonce === null ? null : Number(state.nextNonce),
      open: state.open,
      reserved: { coin: BigInt(state.coin), asset: BigInt(state.asset) },
    };
  }

  async isHead(id: LaneId, transferId: TransferId): Promise<boolean> {
    return (await this.database.one<{ id: TransferId }>(HEAD, place(id)))?.id === transferId;
  }

  async isOpen(id: LaneId): Promise<boolean> {
    return (await this.database.one<{ open: boolean }>(IS_OPEN, place(id)))?.open === true;
  }

  async attemptsAt(id: LaneId, nonce: number): Promise<Attempt[]> {
    return (await this.database.query<AttemptRow>(ATTEMPTS_AT, [...place(id), nonce])).map(attemptOf);
  }

  storeCancellation(id: LaneId, { hash, raw, nonce, maxFee }: SignedAttempt, ordinal: number): void {
    this.database.write(STORE_CANCELLATION, [...place(id), hash, ordinal, raw, nonce, maxFee.toString()]);
  }
}

function place({ appId, network, address }: LaneId): [string, string, string] {
  return [appId, network, address];
}
