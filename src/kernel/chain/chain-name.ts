/** The name of a network in the configuration, such as `base`. */
export type ChainName = string;

export const WALLET_TYPES = ['ethereum', 'solana'] as const;
/** The type of a wallet. Its address is the same on all networks of the type; the one of this name is the default. */
export type WalletType = (typeof WALLET_TYPES)[number];

/** The symbols by which callers may name a type, and the network of its name. */
export const WALLET_TYPE_ALIASES: Readonly<Record<string, WalletType>> = { ETH: 'ethereum', SOL: 'solana' };

export const DEFAULT_WALLET_TYPES = [...WALLET_TYPES, 'none'] as const;
/** The type of the wallet that a new user receives. */
export type DefaultWalletType = (typeof DEFAULT_WALLET_TYPES)[number];
