import { useState } from 'preact/hooks';
import type { components } from '../../../openapi/client/src/index.js';
import { api, call } from '../api.js';
import { useLoad } from '../load.js';
import { fill, nameOf, text } from '../text.js';
import { choicesOf } from './form.js';
import { Await, State } from './states.js';

const t = text.wallet;

export type WalletType = 'ethereum' | 'solana' | 'none';
export const WALLET_TYPES = choicesOf<WalletType>(['ethereum', 'solana', 'none']);

export const holderOf = (wallet: { is_read_only: boolean }) => (wallet.is_read_only ? t.heldByUser : t.heldByService);

export function Holder(wallet: { is_read_only: boolean; is_default: boolean }) {
  return (
    <>
      {holderOf(wallet)} {wallet.is_default && <State of="default">{t.default}</State>}
    </>
  );
}

/** The service asks the chain, so an operator must request it. */
export function Balances(wallet: { readonly appId: string; readonly id: string }) {
  const [isAsked, setAsked] = useState(false);
  return isAsked ? (
    <CurrentBalances {...wallet} />
  ) : (
    <button type="button" onClick={() => setAsked(true)}>
      {t.showBalances}
    </button>
  );
}

function CurrentBalances({ appId, id }: { readonly appId: string; readonly id: string }) {
  const params = { path: { app_id: appId, wallet_id: id } };
  const loaded = useLoad(() => call(api.GET('/management/v1/apps/{app_id}/wallets/{wallet_id}', { params })), [id]);
  return <Await loaded={loaded}>{({ balances }) => <BalanceList balances={balances} />}</Await>;
}

export function BalanceList({ balances }: Pick<components['schemas']['ManagedWalletResponse'], 'balances'>) {
  return (
    <ul class="plain">
      {balances.map(({ token_symbol: symbol, balance, error_type: reason }) => (
        <li key={symbol}>
          {reason === '' ? `${balance} ${symbol}` : fill(t.noBalance, { symbol, reason: nameOf(reason) })}
        </li>
      ))}
    </ul>
  );
}
