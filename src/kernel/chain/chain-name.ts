export type ChainName = string;

export const WALLET_TYPES = ['ethereum', 'solana'] as const;
/** A wallet's address is the same on all networks of the type; the network of this name is the default. */
export type WalletType = (typeof WALLET_TYPES)[number];

export const WALLET_TYPE_ALIASES: Readonly<Record<string, WalletType>> = { ETH: 'ethereum', SOL: 'solana' };

export const DEFAULT_WALLET_TYPES = [...WALLET_TYPES, 'none'] as const;
export type DefaultWalletType = (typeof DEFAULT_WALLET_TYPES)[number];
