import { Injectable } from '@nestjs/common';
import type { Asset } from '../../../../kernel/chain/asset.js';
import type { AppId, DepositId, WalletId } from '../../../../kernel/ids.js';
import { type Page, pageFrom, type PageRequest } from '../../../../kernel/paging.js';
import { Database } from '../../../../postgres/database.js';
import { type Deposit, DepositRepository } from '../domain/deposit.js';

// `d.*` has the columns in the order of the insert.
const ADD = `
  insert into deposits (app_id, id, wallet_id, user_id, chain, network, currency, symbol, decimals, token, amount, sender, hash, position, block, at)
  select $1, d.*
    from jsonb_to_recordset($2::jsonb) as d (
      id text, "walletId" text, "userId" text, chain text, network text, name text, symbol text, decimals integer, token text, amount numeric,
      "from" text, hash text, position integer, block bigint, at timestamptz)
  on conflict (app_id, network, hash, position) do nothing returning id`;

const list = (condition: string): string => `
  select id, wallet_id as "walletId", user_id as "userId", chain, network, currency as name, symbol, decimals, token, amount, sender as "from", hash, position,
         block, at
    from deposits where app_id = $1 and wallet_id = $2 ${condition} order by id desc limit $3`;
const NEWEST = list('');
const OLDER = list('and id < $4');

interface DepositRow extends Asset, Omit<Deposit, 'appId' | 'asset' | 'amount' | 'block'> {
  readonly amount: string;
  readonly block: string;
}

@Injectable()
export class PostgresDepositRepository extends DepositRepository {
  constructor(private readonly database: Database) {
    super();
  }

  async add(appId: AppId, deposits: readonly Deposit[]): Promise<Deposit[]> {
    const rows = deposits.map(({ asset, amount, ...deposit }) => ({ ...asset, ...deposit, amount: amount.toString() }));
    const added = await this.database.write<{ id: DepositId }>(ADD, [appId, JSON.stringify(rows)]);
    const ids = new Set(added.map(({ id }) => id));
    return deposits.filter(({ id }) => ids.has(id));
  }

  async list(
    appId: AppId,
    walletId: WalletId,
    { limit, startingAfter }: PageRequest<DepositId>,
  ): Promise<Page<Deposit>> {
    const rows = await this.database.list<DepositRow>(startingAfter === undefined ? NEWEST : OLDER, [
      appId,
      walletId,
      limit + 1,
      ...(startingAfter === undefined ? [] : [startingAfter]),
    ]);
    return pageFrom(
      rows.map((row) => depositIn(appId, row)),
      limit,
    );
  }
}

function depositIn(appId: AppId, { chain, name, symbol, decimals, token, amount, block, ...row }: DepositRow): Deposit {
  const asset = { chain, name, symbol, decimals, token };
  return { ...row, appId, asset, amount: BigInt(amount), block: Number(block) };
}
