import { Injectable } from '@nestjs/common';
import type { Asset } from '../../../kernel/chain/asset.js';
import type { AppId, DepositId, WalletId } from '../../../kernel/ids.js';
import { type Page, pageFrom, type PageRequest } from '../../../kernel/paging.js';
import { Database } from '../../../postgres/database.js';
import { type Deposit, DepositRepository } from '../domain/deposit.js';

const ADD = `
  insert into deposits (app_id, id, wallet_id, user_id, chain, network, currency, symbol, decimals, token, amount, sender, hash, position, block, at)
  select $1, d.id, d.wallet_id, d.user_id, d.chain, d.network, d.currency, d.symbol, d.decimals, d.token, d.amount, d.sender, d.hash, d.position, d.block, d.at
    from jsonb_to_recordset($2::jsonb) as d (
      id text, wallet_id text, user_id text, chain text, network text, currency text, symbol text, decimals integer, token text, amount numeric,
      sender text, hash text, position integer, block bigint, at timestamptz)
  on conflict (app_id, network, hash, position) do nothing returning id`;

const list = (condition: string): string => `
  select id, wallet_id as "walletId", user_id as "userId", chain, network, currency as name, symbol, decimals, token, amount, sender as "from", hash, position,
         block, at
    from deposits where app_id = $1 and wallet_id = $2 ${condition} order by id desc limit $3`;
const NEWEST = list('');
const OLDER = list('and id < $4');

/** Numbers that may exceed the safe integers are read as text. */
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
    const rows = deposits.map(({ id, walletId, userId, network, asset, amount, from, hash, position, block, at }) => ({
      id,
      wallet_id: walletId,
      user_id: userId,
      chain: asset.chain,
      network,
      currency: asset.name,
      symbol: asset.symbol,
      decimals: asset.decimals,
      token: asset.token,
      amount: amount.toString(),
      sender: from,
      hash,
      position,
      block,
      at,
    }));
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
