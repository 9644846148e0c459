import { UnsupportedWalletType } from './wallet.errors.js';

export const WALLET_TYPES = ['ethereum', 'solana'] as const;

/** The chain whose keys and addresses a wallet has. */
export type WalletType = (typeof WALLET_TYPES)[number];

const COINS: Readonly<Record<string, WalletType>> = { eth: 'ethereum', sol: 'solana' };

/** The wallet type a caller means, who may also name it by its coin (`ETH`, `SOL`). Throws `UnsupportedWalletType`. */
export function walletTypeOf(text: string): WalletType {
  const name = text.toLowerCase();
  const found = WALLET_TYPES.find((type) => type === name) ?? (Object.hasOwn(COINS, name) ? COINS[name] : undefined);
  if (found === undefined) throw new UnsupportedWalletType('There are ethereum and solana wallets.');
  return found;
}
