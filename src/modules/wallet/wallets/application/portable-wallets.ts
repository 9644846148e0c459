import { Injectable } from '@nestjs/common';
import type { WalletType } from '../../../../kernel/chain/chain-name.js';
import { InvalidRequest } from '../../../../kernel/errors.js';
import { type AppId, newId, type UserId, type WalletId } from '../../../../kernel/ids.js';
import { Vault } from '../../../../kernel/vault.js';
import {
  epochSecondsOf,
  pastOf,
  type PortablePart,
  type PortableReader,
  type PortableRow,
} from '../../../identity/index.js';
import { WalletKeys } from '../../keys/domain/wallet-keys.js';
import { SignatureVerifier } from '../../login/domain/sign-in-text.js';
import { WalletCreated } from '../domain/wallet.events.js';
import { Wallet, type WalletView } from '../domain/wallet.js';

export interface ImportedWallet {
  readonly id: string | undefined;
  readonly walletType: WalletType;
  readonly publicAddress: string;
  readonly contractNetwork: string | undefined;
  readonly createdAt: Date | null;
}

const CLOCKS_DIFFER_MS = 60_000;

/** The read-only wallets of imported users, by which they sign in, and the managed wallet that the import makes. */
@Injectable()
export class PortableWallets implements PortablePart<ImportedWallet> {
  readonly field = 'wallets';
  readonly table = 'wallets';
  readonly columns = {
    walletType: 'text',
    publicAddress: 'text',
    verified: 'boolean',
    isDefault: 'boolean',
    isReadOnly: 'boolean',
    isImported: 'boolean',
    contractNetwork: 'text',
    sealedKey: 'bytea',
    createdAt: 'timestamptz',
    updatedAt: 'timestamptz',
  } as const;
  readonly key = {
    sql: 't.public_address',
    isAmong: 't.public_address = any($2::text[]) and t.is_read_only and t.deleted_at is null',
  };
  readonly exported = {
    fields: {
      id: 't.id',
      wallet_type: 't.wallet_type',
      public_address: 't.public_address',
      contract_network: 't.contract_network',
      created_at: epochSecondsOf('t.created_at'),
    },
    where: 't.is_read_only and t.verified and t.deleted_at is null',
  };

  added(appId: AppId, userId: UserId, { id, values }: PortableRow): WalletCreated {
    return new WalletCreated({ ...values, appId, userId, id } as WalletView);
  }

  constructor(
    private readonly keys: WalletKeys,
    private readonly verifier: SignatureVerifier,
    private readonly vault: Vault,
  ) {}

  async reader(appId: AppId): Promise<PortableReader<ImportedWallet>> {
    await this.vault.ready(appId);
    return (wallets, context) => {
      const { id: userId, walletType, updatedAt } = context.user;
      const external = wallets.map(({ id, walletType: type, publicAddress, contractNetwork, createdAt: at }, index) => {
        const place = `wallets[${index}]`;
        const address = this.verifier.address(type, publicAddress);
        if (address === null)
          throw new InvalidRequest([
            { field: `${place}.public_address`, rule: 'format', message: `must be an address of ${type}` },
          ]);
        const createdAt = pastOf(context, `${place}.created_at`, at);
        const walletId = context.idOf('wallet', id) as WalletId;
        const wallet = Wallet.external(
          { appId, walletId, userId, walletType: type, publicAddress: address },
          createdAt,
          contractNetwork,
        );
        return rowOf(wallet, updatedAt, address, `${place}.public_address`);
      });
      if (walletType === 'none') return external;
      const key = this.keys.create({ appId, walletId: newId('wallet'), userId, walletType });
      // The clock of this process may be ahead of the database's, by which a wallet is known to be older than the start of the server.
      const madeAt = new Date(updatedAt.getTime() - CLOCKS_DIFFER_MS);
      return [...external, rowOf(Wallet.managed(key, madeAt), updatedAt, null, 'wallet_type')];
    };
  }
}

function rowOf(
  { id, createdAt, isReadOnly, ...wallet }: Wallet,
  updatedAt: Date,
  key: string | null,
  place: string,
): PortableRow {
  return {
    id,
    key,
    provedAt: isReadOnly ? createdAt : null,
    place,
    values: { ...wallet, isReadOnly, createdAt, updatedAt },
  };
}
