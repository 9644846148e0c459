import { Injectable } from '@nestjs/common';
import type { SignedAttempt } from '../../../kernel/chain/payment.js';
import type { TransferId } from '../../../kernel/ids.js';
import { Database } from '../../../postgres/database.js';
import { named } from '../../../postgres/named.js';
import { AppNotFound } from '../../apps/index.js';
import type { Attempt } from '../domain/attempt.js';
import { SENDER_QUEUE_CAPACITY, type SenderQueueId } from '../domain/sender-queue.js';
import { SenderQueueRepository } from '../domain/sender-queue.repository.js';
import { LOCK_QUEUE } from './postgres-transfer-state.repository.js';
import { ATTEMPT, attemptOf, type AttemptRow } from './transfer-rows.js';

const UNMINED = `
  select t.id from transfers t
    left join transfer_attempts a on a.app_id = t.app_id and a.transfer_id = t.id and a.ordinal = 0
   where t.app_id = $1 and t.network = $2 and t.source_address = $3 and t.status = 'pending' and t.stage <> 'mined'
   order by t.stage = 'queued', a.nonce, t.confirmed_at, t.id limit ${SENDER_QUEUE_CAPACITY}`;

const HAS_OPEN = `
  select exists (
    select from transfers
     where app_id = $1 and network = $2 and source_address = $3 and status = 'pending' and stage <> 'queued') as open`;

const HAS_SELF_TRANSFERS = `
  select exists (
    select from (select transfer_id, created_at from transfer_attempts
                  where app_id = $1 and network = $2 and address = $3 and nonce is not null
                  order by nonce desc limit 200) newest
     where transfer_id is null and created_at > now() - interval '1 hour') as "hasAny"`;

const ATTEMPTS_AT = `
  select ${ATTEMPT} from transfer_attempts a where app_id = $1 and network = $2 and address = $3 and nonce = $4 order by ordinal`;

const HAS_APP = `select exists (select from live_apps where app_id = $1) as "hasApp"`;

const STORE_SELF_TRANSFER = named(`
  insert into transfer_attempts (app_id, network, hash, kind, ordinal, address, raw, nonce, max_fee,
    valid_from_block, final_block, final_block_hash, first_broadcast_started_at)
  values ($appId, $network, $hash, 'cancellation', $ordinal, $address, $raw, $nonce, $maxFee, $validFromBlock, $finalBlock,
    $finalBlockHash, now())`);

// Over all apps, by an operator's command: one transfer after the other could be signed on the next chain with the nonces of this one.
const SET_ASIDE = [
  `update chain_lanes t set network = $2 from known_apps a where t.app_id = a.app_id and t.network = $1`,
  `update transfers t set network = $2 from known_apps a where t.app_id = a.app_id and t.network = $1`,
  `update transfer_attempts t set network = $2 from known_apps a where t.app_id = a.app_id and t.network = $1`,
];
const COUNT_PENDING = `
  select count(*)::int as pending from known_apps a join transfers t on t.app_id = a.app_id
   where t.network = $1 and t.status = 'pending'`;

@Injectable()
export class PostgresSenderQueueRepository extends SenderQueueRepository {
  constructor(private readonly database: Database) {
    super();
  }

  async unminedTransfers(id: SenderQueueId): Promise<TransferId[]> {
    return (await this.database.read<{ id: TransferId }>(UNMINED, keyOf(id))).map((transfer) => transfer.id);
  }

  async hasOpenTransfers(id: SenderQueueId): Promise<boolean> {
    return (await this.database.read<{ open: boolean }>(HAS_OPEN, keyOf(id)))[0]?.open === true;
  }

  async hasRecentSelfTransfers(id: SenderQueueId): Promise<boolean> {
    return (await this.database.read<{ hasAny: boolean }>(HAS_SELF_TRANSFERS, keyOf(id)))[0]?.hasAny === true;
  }

  async attemptsAt(id: SenderQueueId, nonce: number): Promise<Attempt[]> {
    return (await this.database.read<AttemptRow>(ATTEMPTS_AT, [...keyOf(id), nonce])).map(attemptOf);
  }

  async lock(id: SenderQueueId): Promise<void> {
    void this.database.write(LOCK_QUEUE, keyOf(id));
    const [app] = await this.database.read<{ hasApp: boolean }>(HAS_APP, [id.appId]);
    if (!app?.hasApp) throw new AppNotFound();
  }

  async setAside(network: string, name: string): Promise<number> {
    for (const statement of SET_ASIDE) await this.database.write(statement, [network, name]);
    const [row] = await this.database.write<{ pending: number }>(COUNT_PENDING, [name]);
    return row!.pending;
  }

  storeSelfTransfer(id: SenderQueueId, bytes: SignedAttempt, ordinal: number): void {
    const row = { ...bytes, ...id, ordinal, maxFee: bytes.maxFee.toString() };
    void this.database.write(...STORE_SELF_TRANSFER(row), { storesSigned: true });
  }
}

function keyOf({ appId, network, address }: SenderQueueId): [string, string, string] {
  return [appId, network, address];
}
