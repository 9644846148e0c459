import { ChainProxy } from '../../support/chain-proxy.js';
import { SolanaRuntime } from '../../support/solana-runtime.js';
import { Money, SOL } from '../../support/money.js';

it('an endpoint on another cluster signs nothing: a payment is refused with 503, and the log names the cause', async () => {
  const runtimes = [await SolanaRuntime.start({ slotMs: 25 }), await SolanaRuntime.start({ slotMs: 25 })];
  const proxies = await Promise.all(runtimes.map(({ url }) => ChainProxy.start(url)));
  // Until something is quoted, only the first endpoint has answered.
  proxies[1]!.fault = () => 'unavailable';
  let logged = '';
  const money = await Money.start({
    env: { SOLANA_RPC_URL: proxies.map(({ url }) => url).join(','), LOG_LEVEL: 'warn' },
    log: { write: (line) => (logged += line) },
  });
  try {
    const payer = await money.payer('solana');
    for (const runtime of runtimes) runtime.fund(payer.address, 10n * SOL);
    const { id, dest } = await money.created(payer);
    // Its cluster is known already; all else is then asked of the other endpoint.
    proxies[0]!.fault = () => 'unavailable';
    proxies[1]!.fault = () => null;
    for (const _ of [1, 2]) {
      const { status, body } = await money.confirm(payer, id);
      expect([status, body.error_type]).toEqual([503, 'chain_unavailable']);
    }
    expect((await money.create(payer)).status).toBe(503);
    expect(await money.get(payer, id)).toMatchObject({ status: 'unconfirmed', attempts: [] });
    expect(runtimes.map((runtime) => runtime.balance(dest))).toEqual([0n, 0n]);
    expect(logged).toMatch(/The node is on solana:\w+, and the service uses solana:\w+\./);
  } finally {
    await money.stop();
    await Promise.all([...proxies, ...runtimes].map((each) => each.stop()));
  }
});
