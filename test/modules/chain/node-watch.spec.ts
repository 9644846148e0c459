import { parseEther } from 'ethers';
import { NATIVE_ASSETS } from '../../support/native-assets.js';
import { ChainUnavailable } from '../../../src/kernel/chain/chain.errors.js';
import { NodeWatch } from '../../../src/modules/chain/infrastructure/endpoint-comparison.js';
import { EthereumChain } from '../../../src/modules/chain/infrastructure/ethereum/ethereum-chain.js';
import { SolanaChain } from '../../../src/modules/chain/infrastructure/solana/solana-chain.js';
import { Anvil } from '../../support/anvil.js';
import { ChainProxy, FAULTS } from '../../support/chain-proxy.js';
import { SolanaRuntime } from '../../support/solana-runtime.js';
import { newAddress } from '../../support/money.js';

const SECRET = 'a-key-that-is-part-of-the-url';

let anvil: Anvil;
let solana: SolanaRuntime;
let proxies: { ethereum: ChainProxy; solana: ChainProxy };
beforeAll(async () => {
  anvil = await Anvil.start();
  solana = await SolanaRuntime.start();
  proxies = { ethereum: await ChainProxy.start(anvil.url), solana: await ChainProxy.start(solana.url) };
});
afterAll(async () => {
  await Promise.all([proxies.ethereum.stop(), proxies.solana.stop()]);
  await anvil.stop();
  await solana.stop();
});
afterEach(() => {
  for (const proxy of Object.values(proxies)) proxy.fault = () => null;
});

/** Both chains on nodes at these URLs, what is logged of them, and a clock to move. */
function watched(
  urls: { readonly ethereum: string; readonly solana: string },
  { chainId = anvil.chainId, timeoutMs = 60_000 } = {},
) {
  const lines: { level: string; text: string; chain?: string; reason?: string }[] = [];
  const at =
    (level: string) =>
    (fields: object, text: string): void =>
      void lines.push({ level, text, ...fields });
  const clock = { ms: 0 };
  const watch = (chain: 'ethereum' | 'solana') =>
    new NodeWatch(chain, { info: at('info'), warn: at('warn') } as never, () => clock.ms);
  return {
    lines,
    clock,
    ethereum: new EthereumChain({ urls: [urls.ethereum], chainId, timeoutMs }, watch('ethereum')),
    solana: new SolanaChain({ urls: [urls.solana], maxFeeLamports: 1_000_000n, timeoutMs }, watch('solana')),
  };
}

const urls = () => ({ ethereum: `${proxies.ethereum.url}/${SECRET}`, solana: `${proxies.solana.url}/${SECRET}` });

describe.each(['ethereum', 'solana'] as const)('what is logged of a %s node', (name) => {
  it('a node failure and its recovery are each logged once, independent of the number of calls', async () => {
    const { lines, clock, [name]: chain } = watched(urls());
    const ask = () => chain.balance(newAddress(name), NATIVE_ASSETS[name]);
    proxies[name].fault = () => 'unavailable';
    for (let i = 0; i < 5; i++) await expect(ask()).rejects.toThrow(ChainUnavailable);
    const failed = { level: 'warn', text: 'chain unavailable', chain: name };
    expect(lines).toEqual([{ ...failed, reason: 'The node answered with HTTP status 503.' }]);
    // One that answers now and then is not well.
    proxies[name].fault = () => null;
    await ask();
    proxies[name].fault = () => 'unavailable';
    await expect(ask()).rejects.toThrow();
    expect(lines).toHaveLength(1);
    proxies[name].fault = () => null;
    clock.ms += 60_000;
    await ask();
    await ask();
    expect(lines.slice(1)).toEqual([{ level: 'info', text: 'chain available again', chain: name }]);
    proxies[name].fault = () => 'unavailable';
    await expect(ask()).rejects.toThrow();
    expect(lines).toHaveLength(3);
  });

  it('says in words of its own what is wrong, and nothing of the URL', async () => {
    const { lines, [name]: chain } = watched(urls());
    for (const fault of [...FAULTS, 'unavailable'] as const) {
      proxies[name].fault = () => fault;
      await chain.balance(newAddress(name), NATIVE_ASSETS[name]).catch(() => {});
    }
    const at = (url: string) => ({ ethereum: `${url}/${SECRET}`, solana: `${url}/${SECRET}` });
    const unreachable = watched(at('http://127.0.0.1:1'));
    await unreachable[name].network().catch(() => {});
    expect(unreachable.lines.map(({ reason }) => reason)).toEqual(['The node cannot be reached: ECONNREFUSED.']);
    // Longer than the time limit of the test.
    const silent = await ChainProxy.start(anvil.url, 600_000);
    silent.fault = () => 'late';
    const impatient = watched(at(silent.url), { timeoutMs: 100 });
    await impatient[name].network().catch(() => {});
    expect(impatient.lines.map(({ reason }) => reason)).toEqual(['The node did not answer in time.']);
    await silent.stop();
    expect(lines.length).toBeGreaterThan(2);
    expect(JSON.stringify([...lines, ...unreachable.lines, ...impatient.lines])).not.toMatch(
      new RegExp(`${SECRET}|http://|127\\.0`),
    );
  });
});

describe('an ethereum node of another chain than the configured one', () => {
  it('a node of the wrong chain is logged with its chain, also when a status is requested', async () => {
    const { lines, ethereum } = watched(urls(), { chainId: 1 });
    const attempt = { network: 'eip155:1', hash: `0x${'00'.repeat(32)}`, raw: new Uint8Array(), nonce: 0 };
    const from = { validFromSlot: null, validFromBlock: null, finalBlock: null, finalBlockHash: null };
    const blank = { blockhash: null, lastValidBlockHeight: null, maxFee: parseEther('1') };
    await ethereum.status(newAddress('ethereum'), [{ ...attempt, ...blank, ...from }]);
    await expect(ethereum.network()).rejects.toThrow(ChainUnavailable);
    expect(lines.map(({ reason }) => reason)).toEqual([
      `The node is on chain ${anvil.chainId}; the service is configured for 1.`,
    ]);
  });
});

it('a remark is logged once while it is among the latest thousand, so that the process does not keep them all', () => {
  let lines = 0;
  const watch = new NodeWatch('ethereum', { info: () => {}, warn: () => void lines++ } as never);
  const note = (transaction: number) => watch.noteOnce({ transaction: String(transaction) }, 'a difference');
  for (let i = 0; i < 1_000; i++) note(i);
  note(0);
  expect(lines).toBe(1_000);
  note(1_000);
  note(1);
  expect(lines).toBe(1_002);
});
