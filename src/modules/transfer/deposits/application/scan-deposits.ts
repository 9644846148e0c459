import { Injectable } from '@nestjs/common';
import type { Asset } from '../../../../kernel/chain/asset.js';
import { Chains } from '../../../../kernel/chain/chain.js';
import type { ChainName } from '../../../../kernel/chain/chain-name.js';
import type { FoundDeposits, IncomingPayment } from '../../../../kernel/chain/deposit.js';
import { grouped, portionsOf } from '../../../../kernel/collections.js';
import { DomainEvents } from '../../../../kernel/domain-events.js';
import type { AppId } from '../../../../kernel/ids.js';
import { Log } from '../../../../kernel/log.js';
import { Transactions } from '../../../../kernel/transactions.js';
import { SealAltered } from '../../../../kernel/vault.js';
import { AppNotFound, AppsFacade } from '../../../apps/index.js';
import { type ReceivingWallet, WalletsFacade } from '../../../wallet/index.js';
import { type Deposit, depositOf, DepositRepository } from '../domain/deposit.js';
import { type DepositScan, DepositScanRepository } from '../domain/deposit-scan.js';
import { DepositOmitted, WalletCredited } from '../domain/deposit.events.js';

/** Their deposits are stored in one transaction. */
const MOST_BLOCKS = 16;
const MOST_ADDRESSES = 1_000;
const IDLE_SECONDS = 4;
const AFTER_FAILURE_SECONDS = 15;
const ALTERED = Symbol('altered');

/** The position moves with the deposits, and only from where this part began: each is stored once, also by two processes. */
@Injectable()
export class ScanDeposits {
  constructor(
    private readonly chains: Chains,
    private readonly scans: DepositScanRepository,
    private readonly deposits: DepositRepository,
    private readonly apps: AppsFacade,
    private readonly wallets: WalletsFacade,
    private readonly events: DomainEvents,
    private readonly transactions: Transactions,
    private readonly log: Log,
  ) {}

  /** Null if no part is due. The search begins at the newest final block, once there is a wallet. */
  async claim(chain: ChainName): Promise<DepositScan | null> {
    const node = this.chains.named(chain);
    const network = await node.network();
    if (!(await this.scans.has(network))) {
      if (!(await this.wallets.hasAny(node.walletType))) return null;
      await this.scans.begin({ chain, network, at: await node.finalBlock() });
    }
    return this.scans.claim(chain, network);
  }

  /** After a `ChainUnavailable` the same part is due again later. */
  async execute(scan: DepositScan): Promise<void> {
    try {
      await this.search(scan);
    } catch (error) {
      await this.scans.pause(scan.network, AFTER_FAILURE_SECONDS);
      throw error;
    }
  }

  private async search(scan: DepositScan): Promise<void> {
    const { chain, at } = scan;
    const node = this.chains.named(chain);
    const wallets = new Map<string, readonly ReceivingWallet[]>();
    const found = await node.deposits({
      after: at,
      blocks: MOST_BLOCKS,
      tokens: await this.apps.tokensOn(chain),
      among: async (addresses) => {
        for (const portion of portionsOf(addresses, MOST_ADDRESSES)) {
          const receiving = await this.wallets.receiving(node.walletType, portion);
          for (const [address, of] of grouped(receiving, (wallet) => wallet.publicAddress)) wallets.set(address, of);
        }
        return new Set(wallets.keys());
      },
    });
    if (found.isBroken) return this.stop(scan);
    const deposits = await this.depositsOf(scan, found.payments, wallets);
    await this.transactions.run(() => this.store(scan, found, deposits), { signs: deposits.length > 0 });
  }

  private async stop({ chain, network, at }: DepositScan): Promise<void> {
    if (await this.scans.markStopped(network))
      this.log.error(
        { chain, block: at.number, hash: at.hash },
        'the search for deposits has stopped: its block is not in the chain',
      );
    await this.scans.pause(network, AFTER_FAILURE_SECONDS);
  }

  private async depositsOf(
    { chain, network }: DepositScan,
    payments: readonly IncomingPayment[],
    wallets: ReadonlyMap<string, readonly ReceivingWallet[]>,
  ): Promise<readonly Deposit[]> {
    const { native } = this.chains.named(chain);
    const deposits: Deposit[] = [];
    for (const payment of payments) {
      // It counts once in an app: for the first of its wallets that existed, which is the one that signs if that did.
      const credited = new Set<AppId>();
      for (const wallet of wallets.get(payment.to) ?? []) {
        if (credited.has(wallet.appId)) continue;
        const tokens = await this.tokensOf(wallet.appId, chain);
        const deposit =
          tokens && depositOf(payment, wallet, { native, network, tokens: tokens === ALTERED ? [] : tokens });
        if (tokens === ALTERED && !deposit)
          await this.events.signal(new DepositOmitted(wallet.appId, wallet.id, chain, payment));
        if (!deposit) continue;
        credited.add(wallet.appId);
        deposits.push(deposit);
      }
    }
    return deposits;
  }

  /** Null for an app that was deleted, or has not enabled the network. Of an altered one no token is known. */
  private async tokensOf(appId: AppId, chain: ChainName): Promise<readonly Asset[] | null | typeof ALTERED> {
    try {
      const isEnabled = (await this.apps.networks(appId)).some(({ name }) => name === chain);
      return isEnabled ? (await this.apps.settings(appId)).assets : null;
    } catch (error) {
      if (error instanceof AppNotFound) return null;
      if (error instanceof SealAltered) return ALTERED;
      throw error;
    }
  }

  private async store(scan: DepositScan, found: FoundDeposits, deposits: readonly Deposit[]): Promise<void> {
    if (!(await this.scans.advance(scan, found, found.hasMore ? 0 : IDLE_SECONDS))) return;
    for (const [appId, ofApp] of grouped(deposits, (deposit) => deposit.appId))
      for (const deposit of await this.deposits.add(appId, ofApp))
        await this.events.publish(new WalletCredited(deposit));
  }
}
