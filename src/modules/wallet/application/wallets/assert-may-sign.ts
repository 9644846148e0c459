import { AppNotFound } from '../../../apps/index.js';
import { UserInactive } from '../../../identity/index.js';
import { WalletNotFound } from '../../domain/wallets/wallet.errors.js';
import type { HeldOwner } from '../../domain/wallets/wallet.repository.js';

/** Throws `AppNotFound`, `WalletNotFound`, `UserInactive`. Call it before the key signs something new, while the owner is held. */
export function assertMaySign({ state, hasApp }: HeldOwner): void {
  if (!hasApp) throw new AppNotFound();
  if (state === 'unknown') throw new WalletNotFound();
  if (state === 'inactive') throw new UserInactive();
}
