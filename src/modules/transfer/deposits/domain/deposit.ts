import type { Asset } from '../../../../kernel/chain/asset.js';
import type { IncomingPayment } from '../../../../kernel/chain/deposit.js';
import { type AppId, type DepositId, newId, type UserId, type WalletId } from '../../../../kernel/ids.js';
import type { Page, PageRequest } from '../../../../kernel/paging.js';

/** It is final and never changes. */
export interface Deposit extends Omit<IncomingPayment, 'to' | 'token'> {
  readonly id: DepositId;
  readonly appId: AppId;
  readonly walletId: WalletId;
  readonly userId: UserId;
  readonly asset: Asset;
  readonly network: string;
}

interface Receiver extends Pick<Deposit, 'appId' | 'userId'> {
  readonly id: WalletId;
  /** Payments of before are not the wallet's. */
  readonly since: Date | null;
}

/** Null when it does not count: the token is none of these, or the wallet came later. */
export function depositOf(
  { to: _, token, ...payment }: IncomingPayment,
  { appId, id: walletId, userId, since }: Receiver,
  { native, network, tokens }: { readonly native: Asset; readonly network: string; readonly tokens: readonly Asset[] },
): Deposit | null {
  const isMeant = (asset: Asset): boolean => asset.chain === native.chain && asset.token === token;
  const asset = [native, ...tokens].find(isMeant);
  // A block names its time in whole seconds.
  const isEarlier = since !== null && payment.at !== null && payment.at.getTime() + 1_000 <= since.getTime();
  return !asset || isEarlier ? null : { ...payment, id: newId('deposit'), appId, walletId, userId, network, asset };
}

export abstract class DepositRepository {
  /** Returns those that were not stored before, by network, transaction and place in it. */
  abstract add(appId: AppId, deposits: readonly Deposit[]): Promise<readonly Deposit[]>;

  /** Those that were found last come first. */
  abstract list(appId: AppId, walletId: WalletId, page: PageRequest<DepositId>): Promise<Page<Deposit>>;
}
