import { Wallet } from 'ethers';
import { ChainUnavailable } from '../../../src/kernel/chain/chain.errors.js';
import { EthereumChain } from '../../../src/modules/chain/infrastructure/ethereum/ethereum-chain.js';
import { Anvil } from '../../support/anvil.js';
import { ChainProxy } from '../../support/chain-proxy.js';

/** More than one look reads. */
const USES = 300;
/** A look at one use takes several calls. */
const BETWEEN_FAILURES = 400;

let anvil: Anvil;
let proxy: ChainProxy;
let holder: Wallet;
beforeAll(async () => {
  anvil = await Anvil.start({ blockTime: 'never' });
  proxy = await ChainProxy.start(anvil.url);
  holder = Wallet.createRandom().connect(anvil.provider) as unknown as Wallet;
  await anvil.fund(holder.address, 10n ** 18n);
  for (let nonce = 0; nonce < USES; nonce++) await use(nonce);
});
afterAll(async () => {
  await proxy.stop();
  await anvil.stop();
});
beforeEach(() => {
  proxy.refuse = () => undefined;
});

/** Makes a block of it. */
async function use(nonce: number, value = 0n): Promise<string> {
  const request = { to: holder.address, value, nonce, gasLimit: 21_000, maxFeePerGas: 2n * 10n ** 9n };
  const { hash } = await holder.sendTransaction(request);
  await anvil.mine();
  return hash;
}

const chainWith = (finality: number) => new EthereumChain({ urls: [proxy.url], chainId: anvil.chainId, finality });
const look = (chain: EthereumChain, to = USES) =>
  chain.transactionsOf(holder.address, [], {
    since: new Date(0),
    known: [],
    nonces: { from: 0, to, waitingTo: to, isBounded: true, notBefore: new Date(0) },
  });

it('goes on where the last look at the uses of a key has ended', async () => {
  const chain = chainWith(0);
  expect(await look(chain)).toMatchObject({ isComplete: false });
  await use(USES);
  const { of, isComplete } = await look(chain, USES + 1);
  expect({ isComplete, nonces: of.map(({ nonce }) => nonce) }).toEqual({
    isComplete: true,
    nonces: Array.from({ length: USES + 1 }, (_, index) => USES - index),
  });
});

it('comes to an end at a node that fails now and then', async () => {
  const chain = chainWith(0);
  let calls = 0;
  proxy.refuse = () => (++calls % BETWEEN_FAILURES === 0 ? { status: 503, body: '' } : undefined);
  const failures: unknown[] = [];
  let isComplete = false;
  for (let looks = 0; !isComplete && looks < 30; looks++) {
    ({ isComplete } = await look(chain).catch((error: unknown) => {
      failures.push(error);
      return { isComplete: false };
    }));
  }
  expect(isComplete).toBe(true);
  expect(failures).not.toEqual([]);
  for (const failure of failures) expect(failure).toBeInstanceOf(ChainUnavailable);
});

it('forgets what was in a block that another has replaced', async () => {
  const chain = chainWith(0);
  const to = USES + 1;
  for (let looks = 0; looks < 2; looks++) await look(chain, to);
  await anvil.reorganise(1);
  const hash = await use(to - 1, 1n);
  expect(await look(chain, to)).toMatchObject({ isComplete: false });
  const { of, isComplete } = await look(chain, to);
  expect([isComplete, of[0]!.hash]).toEqual([true, hash]);
});

it('keeps nothing that a fork may change', async () => {
  const chain = chainWith(USES);
  for (let looks = 0; looks < 2; looks++) expect(await look(chain)).toMatchObject({ isComplete: false });
});
