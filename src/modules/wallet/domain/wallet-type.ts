export const WALLET_TYPES = ['ethereum', 'solana'] as const;

/** The chain whose keys and addresses a wallet has. */
export type WalletType = (typeof WALLET_TYPES)[number];

/** The coins by which callers may name the chain. */
export const WALLET_ALIASES: Readonly<Record<string, WalletType>> = { ETH: 'ethereum', SOL: 'solana' };
