import { text } from '../text.js';
import { choicesOf } from './form.js';
import { State } from './states.js';

const t = text.wallet;

export type WalletType = 'ethereum' | 'solana' | 'none';
export const WALLET_TYPES = choicesOf<WalletType>(['ethereum', 'solana', 'none']);

/** Who holds the key of a wallet. */
export function Holder(wallet: { is_read_only: boolean; is_default: boolean }) {
  return (
    <>
      {wallet.is_read_only ? t.heldByUser : t.heldByService}{' '}
      {wallet.is_default && <State of="default">{t.default}</State>}
    </>
  );
}
