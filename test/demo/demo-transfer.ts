// npm run demo:transfer: a local Ethereum and a local Solana, a wallet on each, and a payment on both.
import { formatEther, formatUnits } from 'ethers';
import { createClient, ok } from '../../openapi/client/src/index.js';
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
  const management = createClient({ baseUrl: service.url, managementKey: service.managementKey });
  const app = await ok(management.POST('/management/v1/apps', { body: { name: 'Demo', mode: 'test' } }));
  const client = createClient({ baseUrl: service.url, secretKey: app.secret_key });
  const user = await ok(
    client.POST('/v1/auth/users/create', { body: { email: 'ann@example.com', wallet_type: 'none' } }),
  );
  for (const chain of ['ethereum', 'solana'] as const) {
    const { symbol, fund, balance } = chains[chain];
    const wallet = await ok(client.POST('/v1/wallets/create', { body: { user_id: user.user_id, wallet_type: chain } }));
    await fund(wallet.public_address);
    const dest = newAddress(chain);
    const show = async (when: string): Promise<void> => {
      const { balance: held } = await ok(
        client.POST('/v1/wallets/balance', { body: { wallet_id: wallet.id, token_symbol: symbol } }),
      );
      console.log(`  ${when.padEnd(10)} wallet ${held} ${symbol}, destination ${await balance(dest)} ${symbol}`);
    };
    console.log(`\n${chain}: ${wallet.public_address} pays ${dest}`);
    await show('before');
    const transfer = await ok(
      client.POST('/v1/transfers/create', {
        body: { source: wallet.id, dest, source_amount: '0.25', source_currency: chain, dest_currency: chain },
      }),
    );
    console.log(`  quoted     0.25 ${symbol}, fees at most ${transfer.total_fees} ${symbol}`);
    // Four confirmations at once, as an impatient client might send: one payment.
    const answers = await Promise.all(
      Array.from({ length: 4 }, () =>
        ok(
          client.POST('/v1/transfers/{transfer_id}/confirm', {
            params: { path: { transfer_id: transfer.id } },
            body: {},
          }),
        ),
      ),
    );
    const {
      status,
      blockchain_tx_hash: hash,
      total_fees: fees,
    } = answers.find((answer) => answer.completed_at > 0) ?? answers[0]!;
    console.log(`  ${status.padEnd(10)} ${hash}, fees ${fees} ${symbol}`);
    await show('after');
  }
} finally {
  await service.stop();
  await anvil.stop();
  await solana.stop();
}
