// npm run demo:transfer: a local Ethereum and a local Solana, a wallet on each, and a payment on both.
import { formatEther, formatUnits } from 'ethers';
import { Anvil } from '../support/anvil.js';
import { SolanaRuntime } from '../support/solana-runtime.js';
import { newAddress } from '../support/money.js';
import { liveService } from './live-service.js';

const anvil = await Anvil.start({ blockTime: 1 });
const solana = await SolanaRuntime.start({ slotMs: 200, finalizedAfter: 4 });
const service = await liveService({
  ETHEREUM_RPC_URL: anvil.url,
  ETHEREUM_CHAIN_ID: String(anvil.chainId),
  ETHEREUM_FINALITY_DEPTH: '1',
  SOLANA_RPC_URL: solana.url,
});
const chains = {
  ethereum: {
    symbol: 'ETH',
    fund: (address: string) => anvil.fund(address, 10n ** 18n),
    balance: async (address: string) => formatEther(await anvil.balance(address)),
  },
  solana: {
    symbol: 'SOL',
    fund: (address: string) => solana.fund(address, 10n ** 9n),
    balance: (address: string) => formatUnits(solana.balance(address), 9),
  },
};
try {
  const app = await call('/management/v1/apps', service.managementKey, { name: 'Demo', mode: 'test' });
  const key: string = app.secret_key;
  const user = await call('/v1/auth/users/create', key, { email: 'ann@example.com', wallet_type: 'none' });
  for (const [chain, { symbol, fund, balance }] of Object.entries(chains)) {
    const wallet = await call('/v1/wallets/create', key, { user_id: user.user_id, wallet_type: chain });
    await fund(wallet.public_address);
    const dest = newAddress(chain as keyof typeof chains);
    const show = async (when: string): Promise<void> => {
      const { balance: held } = await call('/v1/wallets/balance', key, { wallet_id: wallet.id, token_symbol: symbol });
      console.log(`  ${when.padEnd(10)} wallet ${held} ${symbol}, destination ${await balance(dest)} ${symbol}`);
    };
    console.log(`\n${chain}: ${wallet.public_address} pays ${dest}`);
    await show('before');
    const transfer = await call('/v1/transfers/create', key, {
      source: wallet.id,
      dest,
      source_amount: '0.25',
      source_currency: chain,
      dest_currency: chain,
    });
    console.log(`  quoted     0.25 ${symbol}, fees at most ${transfer.total_fees} ${symbol}`);
    // Four confirmations at once, as an impatient client might send: one payment.
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => call(`/v1/transfers/${transfer.id}/confirm`, key, {})),
    );
    const {
      status,
      blockchain_tx_hash: hash,
      total_fees: fees,
    } = answers.find((answer) => answer.completed_at > 0) ?? answers[0];
    console.log(`  ${status.padEnd(10)} ${hash}, fees ${fees} ${symbol}`);
    await show('after');
  }
} finally {
  await service.stop();
  await anvil.stop();
  await solana.stop();
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a demo reads answers as a script would
async function call(path: string, key: string, body: unknown): Promise<any> {
  const response = await fetch(service.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`);
  return JSON.parse(text) as unknown;
}
