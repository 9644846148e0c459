export const CHAIN_NAMES = ['ethereum', 'solana'] as const;
/** A chain that payments are made on. A wallet pays on the chain its type names. */
export type ChainName = (typeof CHAIN_NAMES)[number];

/** The symbols by which callers may name a chain. */
export const CHAIN_ALIASES: Readonly<Record<string, ChainName>> = { ETH: 'ethereum', SOL: 'solana' };

export const DEFAULT_WALLET_TYPES = [...CHAIN_NAMES, 'none'] as const;
/** The type of the wallet that a new user receives. */
export type DefaultWalletType = (typeof DEFAULT_WALLET_TYPES)[number];
