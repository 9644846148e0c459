import { Injectable } from '@nestjs/common';
import type { ChainName } from '../../../../kernel/chain/chain-name.js';
import type { FoundDeposits } from '../../../../kernel/chain/deposit.js';
import { Database } from '../../../../postgres/database.js';
import { named } from '../../../../postgres/statement.js';
import { type DepositScan, DepositScanRepository, type DepositScanState } from '../domain/deposit-scan.js';

/** A process that is killed leaves its part to another one after this time. */
const CLAIMED_SECONDS = 60;

const BEGIN = `
  insert into deposit_scans (network, chain, block_number, block_hash, newest) values ($1, $2, $3, $4, $3)
  on conflict (network) do nothing`;
const CLAIM = `
  update deposit_scans set chain = $2, due_at = now() + make_interval(secs => ${CLAIMED_SECONDS})
   where network = $1 and due_at <= now() returning block_number as number, block_hash as hash`;
const ADVANCE = named<{
  network: string;
  fromNumber: number;
  fromHash: string;
  number: number;
  hash: string;
  newest: number;
  seconds: number;
}>(`
  update deposit_scans
     set block_number = $number, block_hash = $hash, newest = $newest, stopped_at = null, due_at = now() + make_interval(secs => $seconds)
   where network = $network and block_number = $fromNumber and block_hash = $fromHash returning network`);
const PAUSE = 'update deposit_scans set due_at = now() + make_interval(secs => $2) where network = $1';
const MARK_STOPPED =
  'update deposit_scans set stopped_at = now() where network = $1 and stopped_at is null returning network';
const FORGET = 'delete from deposit_scans where network = $1 or chain = $1 returning network';
// A name whose chain id was changed has another row, which is not searched any more.
const STATES = `
  select distinct on (chain) chain, (newest - block_number)::float8 as "behindBlocks", stopped_at is not null as "isStopped"
    from deposit_scans order by chain, due_at desc`;

@Injectable()
export class PostgresDepositScanRepository extends DepositScanRepository {
  constructor(private readonly database: Database) {
    super();
  }

  async has(network: string): Promise<boolean> {
    return (await this.database.read('select from deposit_scans where network = $1', [network])).length > 0;
  }

  async begin({ chain, network, at }: DepositScan): Promise<void> {
    await this.database.write(BEGIN, [network, chain, at.number, at.hash]);
  }

  async claim(chain: ChainName, network: string): Promise<DepositScan | null> {
    const [at] = await this.database.write<{ number: string; hash: string }>(CLAIM, [network, chain]);
    return at ? { chain, network, at: { number: Number(at.number), hash: at.hash } } : null;
  }

  async advance(
    { network, at }: DepositScan,
    { upTo, newest }: Pick<FoundDeposits, 'upTo' | 'newest'>,
    seconds: number,
  ): Promise<boolean> {
    const place = { fromNumber: at.number, fromHash: at.hash, number: upTo.number, hash: upTo.hash };
    return (await this.database.write(...ADVANCE({ network, ...place, newest, seconds }))).length > 0;
  }

  async pause(network: string, seconds: number): Promise<void> {
    await this.database.write(PAUSE, [network, seconds]);
  }

  async markStopped(network: string): Promise<boolean> {
    return (await this.database.write(MARK_STOPPED, [network])).length > 0;
  }

  async forget(network: string): Promise<number> {
    return (await this.database.write(FORGET, [network])).length;
  }

  states(): Promise<DepositScanState[]> {
    return this.database.list<DepositScanState>(STATES);
  }
}
