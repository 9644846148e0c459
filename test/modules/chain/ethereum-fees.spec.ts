import { hexlify, parseEther, Transaction } from 'ethers';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { newId } from '../../../src/kernel/ids.js';
import { FeeTooHigh, ChainUnavailable, InsufficientFunds } from '../../../src/kernel/chain/chain.errors.js';
import { NATIVE_ASSETS } from '../../support/native-assets.js';
import type { Payment, SignedAttempt, TransactionSigner } from '../../../src/kernel/chain/payment.js';
import { EthereumChain } from '../../../src/modules/chain/infrastructure/ethereum/ethereum-chain.js';
import { DECIMALS } from '../../../src/modules/chain/infrastructure/ethereum/ethereum-transaction.js';
import { Anvil } from '../../support/anvil.js';
import { ChainProxy } from '../../support/chain-proxy.js';
import { payingWallet } from './paying-wallet.js';

const GWEI = 10n ** 9n;
const DEST = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const CEILINGS = { maxFeePerGas: 500n * GWEI, maxTip: 50n * GWEI };

let anvil: Anvil;
let proxy: ChainProxy;
let chain: EthereumChain;
let wallet: TransactionSigner;

beforeAll(async () => {
  anvil = await Anvil.start({ blockTime: 'never' });
  proxy = await ChainProxy.start(anvil.url);
});
afterAll(async () => {
  await proxy.stop();
  await anvil.stop();
});
beforeEach(async () => {
  proxy.answer = () => undefined;
  chain = new EthereumChain({ urls: [proxy.url], chainId: anvil.chainId, finality: 0, ceilings: CEILINGS });
  wallet = await payingWallet('ethereum');
  await anvil.fund(wallet.address, parseEther('1000'));
  await priceGas(GWEI);
});

const payment = (changes: Partial<Payment> = {}): Payment => ({
  transferId: newId('transfer'),
  asset: NATIVE_ASSETS.ethereum,
  source: wallet.address,
  dest: DEST,
  amount: parseEther('0.1'),
  ...changes,
});
const hex = (value: bigint) => `0x${value.toString(16)}`;
const read = ({ raw }: SignedAttempt): Transaction => Transaction.from(hexlify(raw));
const signed = async (of: Payment, nonce = 0): Promise<SignedAttempt> => (await chain.prepare(of)).sign(wallet, nonce);

/** The node's words in the place of the answers of these methods. */
function say(answers: Record<string, unknown>): void {
  proxy.answer = (method) => answers[method];
}

/** Makes a block with this base fee. */
async function priceGas(wei: bigint): Promise<void> {
  await anvil.call('anvil_setNextBlockBaseFeePerGas', hex(wei));
  await anvil.mine();
}

/** Has the wallet's account run this code when it is called (EIP-7702). */
async function delegate(code: string): Promise<void> {
  const contract = (await payingWallet('ethereum')).address;
  await anvil.call('anvil_setCode', contract, code);
  await anvil.call('anvil_setCode', wallet.address, `0xef0100${contract.slice(2)}`);
}

describe('the ceilings of the operator', () => {
  it.each([
    ['a tip above the ceiling', { eth_maxPriorityFeePerGas: hex(50n * GWEI + 1n) }, 'ETHEREUM_MAX_TIP'],
    ['a tip of an ether', { eth_maxPriorityFeePerGas: hex(10n ** 18n) }, 'ETHEREUM_MAX_TIP'],
  ])('refuse a payment for which the node asks %s', async (_, answers, setting) => {
    const of = payment();
    const { feeCap } = await chain.prepare(of);
    const attempt = await signed(of);
    say(answers);
    await expect(chain.prepare(of)).rejects.toThrow(setting);
    await expect(chain.prepare(of, feeCap)).rejects.toThrow(FeeTooHigh);
    await expect(chain.prepareReplacement(of, [attempt], feeCap * 1_000n)).rejects.toThrow(setting);
    await expect(chain.prepareCancellation(wallet.address, [attempt], parseEther('900'))).rejects.toThrow(setting);
  });

  it('the fee ceiling refuses a payment that the next block takes only for more, and permits a fee equal to the ceiling', async () => {
    say({ eth_maxPriorityFeePerGas: hex(GWEI), eth_feeHistory: { reward: [] } });
    await priceGas(500n * GWEI);
    await expect(chain.prepare(payment())).rejects.toThrow('ETHEREUM_MAX_FEE_PER_GAS');
    await priceGas(499n * GWEI);
    const prepared = await chain.prepare(payment());
    // Neither the room for a rising base fee nor the quote goes beyond the ceiling.
    expect(read(prepared.sign(wallet, 0)).maxFeePerGas).toBe(500n * GWEI);
    expect(prepared.feeCap).toBe(21_000n * 500n * GWEI);
  });

  it('the fee ceiling refuses a replacement that nodes accept only above it', async () => {
    say({ eth_maxPriorityFeePerGas: hex(46n * GWEI), eth_feeHistory: { reward: [] } });
    const of = payment();
    const attempt = await signed(of);
    const cap = parseEther('1');
    await expect(chain.prepareReplacement(of, [attempt], cap)).rejects.toThrow('ETHEREUM_MAX_TIP');
    await expect(chain.prepareCancellation(wallet.address, [attempt], cap)).rejects.toThrow('ETHEREUM_MAX_TIP');
  });
});

describe('the history of fees', () => {
  const tips = (...gwei: number[]) => ({ reward: gwei.map((tip) => [hex(BigInt(tip) * GWEI)]) });

  it('the fee history of real blocks lowers the tip to twice what their transactions paid', async () => {
    say({ eth_maxPriorityFeePerGas: hex(GWEI) });
    await chain.send(await signed(payment()));
    await anvil.mine();
    say({ eth_maxPriorityFeePerGas: hex(40n * GWEI) });
    expect(read(await signed(payment(), 1)).maxPriorityFeePerGas).toBe(2n * GWEI);
  });

  it.each([
    ['lowers the tip to twice the median of the blocks that paid one', 40n, tips(0, 3, 90, 1, 0, 2), 6n],
    ['never raises the tip', 1n, tips(30, 30, 30), 1n],
    ['without tips changes nothing', 3n, tips(0, 0), 3n],
    ['without rewards changes nothing', 3n, {}, 3n],
    ['that says nothing sensible changes nothing', 3n, { reward: [['many']] }, 3n],
  ])('%s', async (_, suggested, history, expected) => {
    say({ eth_maxPriorityFeePerGas: hex(suggested * GWEI), eth_feeHistory: history });
    expect(read(await signed(payment())).maxPriorityFeePerGas).toBe(expected * GWEI);
  });

  it('a history or a suggestion of 1 wei lowers no payment, replacement or cancellation below the configured tip', async () => {
    const minTip = GWEI / 1_000n;
    chain = new EthereumChain({
      urls: [proxy.url],
      chainId: anvil.chainId,
      finality: 0,
      ceilings: CEILINGS,
      minTip,
    });
    const one = { reward: Array.from({ length: 20 }, () => ['0x1']) };
    const cap = parseEther('1');
    for (const suggested of [GWEI, 1n]) {
      say({ eth_maxPriorityFeePerGas: hex(suggested), eth_feeHistory: one });
      const of = payment();
      const first = await signed(of);
      // An attempt of a release without the bound.
      const old = { ...first, raw: await unboundedRaw(of) };
      const bump = (await chain.prepareReplacement(of, [old], cap))!.sign(wallet, 0);
      const cancellation = (await chain.prepareCancellation(wallet.address, [old], cap))!.sign(wallet, 0);
      for (const attempt of [first, bump, cancellation])
        expect(read(attempt).maxPriorityFeePerGas).toBeGreaterThanOrEqual(minTip);
    }
  });

  /** What is signed without a bound of the tip. */
  async function unboundedRaw(of: Payment): Promise<Uint8Array> {
    const unbounded = new EthereumChain({ urls: [proxy.url], chainId: anvil.chainId, finality: 0 });
    const { raw } = (await unbounded.prepare(of)).sign(wallet, 0);
    expect(Transaction.from(hexlify(raw)).maxPriorityFeePerGas).toBeLessThanOrEqual(2n);
    return raw;
  }

  it('the fee history is requested concurrently with the first of the other calls, so that no payment waits for it', async () => {
    const questions = ['eth_getBlockByNumber', 'eth_maxPriorityFeePerGas', 'eth_feeHistory', 'eth_estimateGas'];
    const gate = await Gate.start(anvil.url, questions);
    try {
      const gated = new EthereumChain({ urls: [gate.url], chainId: anvil.chainId, finality: 0 });
      await gated.network();
      await expect(gated.prepare(payment())).resolves.toMatchObject({ minimumLeft: 0n });
    } finally {
      await gate.stop();
    }
  });
});

describe('the gas of a transaction on Ethereum', () => {
  it('the gas of a payment to an account with code is the estimate plus a fifth', async () => {
    const { address } = await payingWallet('ethereum');
    await anvil.call('anvil_setCode', address, BURNING);
    const attempt = await signed(payment({ dest: address }));
    expect(read(attempt).gasLimit).toBeGreaterThan(40_000n);
    await chain.send(attempt);
    await anvil.mine();
    expect(await chain.status(wallet.address, [attempt])).toMatchObject({ is: 'final', outcome: 'success' });
  });

  it('the gas of a cancellation is estimated, because an account may have code of its own (EIP-7702)', async () => {
    await delegate(BURNING);
    const cancellation = (await chain.prepareCancellation(wallet.address, [], parseEther('1')))!;
    const attempt = cancellation.sign(wallet, 0);
    expect(read(attempt).gasLimit).toBeGreaterThan(40_000n);
    expect(attempt.maxFee).toBe(cancellation.maxFee);
    await chain.send(attempt);
    await anvil.mine();
    expect(await chain.status(wallet.address, [attempt])).toMatchObject({ is: 'final', outcome: 'success' });
  });

  it('the gas of a cancellation that the account’s own code rejects is enough to use up the nonce', async () => {
    await delegate('0x60006000fd');
    const attempt = (await chain.prepareCancellation(wallet.address, [], parseEther('1')))!.sign(wallet, 0);
    await chain.send(attempt);
    await anvil.mine();
    expect(await chain.status(wallet.address, [attempt])).toMatchObject({ is: 'final', outcome: 'reverted' });
    expect(await chain.nonces(wallet.address)).toEqual({ latest: 1, pending: 1 });
  });

  it('the gas of a replacement rises if the chain takes more now', async () => {
    const { address } = await payingWallet('ethereum');
    const of = payment({ dest: address });
    const attempt = await signed(of);
    expect(read(attempt).gasLimit).toBe(21_000n);
    await anvil.call('anvil_setCode', address, BURNING);
    const replacement = (await chain.prepareReplacement(of, [attempt], parseEther('1')))!.sign(wallet, 0);
    expect(read(replacement).gasLimit).toBeGreaterThan(40_000n);
    await anvil.call('anvil_setCode', address, '0x60006000fd');
    const again = (await chain.prepareReplacement(of, [attempt], parseEther('1')))!.sign(wallet, 0);
    expect(read(again).gasLimit).toBe(21_000n);
  });

  it.each([
    ['a payment of the coin', 1_000_001n],
    ['a payment of the coin', (1n << 64n) - 1n],
  ])('of %s that a node estimates at %s is refused', async (_, gas) => {
    say({ eth_estimateGas: hex(gas) });
    await expect(chain.prepare(payment())).rejects.toThrow(FeeTooHigh);
    await expect(chain.prepareCancellation(wallet.address, [], parseEther('900'))).rejects.toThrow(FeeTooHigh);
  });

  it('refuses a token payment whose gas estimate exceeds the gas of any transfer', async () => {
    const token = await anvil.deployToken(wallet.address, 1_000n, 6);
    const asset = { chain: 'ethereum', name: 'coupon', symbol: 'CPN', decimals: 6, token } as const;
    say({ eth_estimateGas: hex(5_000_001n) });
    await expect(chain.prepare(payment({ asset, amount: 1n }))).rejects.toThrow(FeeTooHigh);
    say({ eth_estimateGas: hex(5_000_000n) });
    await expect(chain.prepare(payment({ asset, amount: 1n }))).resolves.toBeDefined();
  });

  it('an estimate that a lagging machine refuses for lack of funds is reported as insufficient funds, which is temporary', async () => {
    const lagging = await Gate.start(anvil.url, [], (call) =>
      call.method === 'eth_estimateGas'
        ? { code: -32_000, message: 'insufficient funds for gas * price + value' }
        : null,
    );
    try {
      const behind = new EthereumChain({ urls: [lagging.url], chainId: anvil.chainId, finality: 0 });
      await expect(behind.prepare(payment())).rejects.toThrow(InsufficientFunds);
    } finally {
      await lagging.stop();
    }
  });

  it('one refused call of a batch is a fault of the node, also when the other calls have results', async () => {
    const token = await anvil.deployToken(wallet.address, 1_000n, 6);
    const asset = { chain: 'ethereum', name: 'coupon', symbol: 'CPN', decimals: 6, token } as const;
    let isLimited = true;
    const limited = await Gate.start(anvil.url, [], (call) =>
      isLimited && JSON.stringify(call).includes(DECIMALS) ? { code: -32_005, message: 'limit exceeded' } : null,
    );
    try {
      const behind = new EthereumChain({ urls: [limited.url], chainId: anvil.chainId, finality: 0 });
      await expect(behind.prepare(payment({ asset, amount: 1n }))).rejects.toThrow(ChainUnavailable);
      isLimited = false;
      await expect(behind.prepare(payment({ asset, amount: 1n }))).resolves.toBeDefined();
    } finally {
      await limited.stop();
    }
  });
});

/** Stores a word: above 40,000 gas with the transaction itself. */
const BURNING = '0x60015f55';

interface Call {
  readonly params?: readonly unknown[];
  readonly id: number;
  readonly method: string;
}

type Answer = Pick<Call, 'id'>;

/** Stands in front of a node and answers none of these questions before all of them have been asked. */
class Gate {
  private constructor(private readonly server: Server) {}

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  static async start(
    target: string,
    questions: readonly string[],
    failure: (call: Call) => object | null = () => null,
  ): Promise<Gate> {
    const missing = new Set(questions);
    let open = (): void => {};
    const asked = new Promise<void>((resolve) => (open = resolve));
    const pass = async (request: IncomingMessage): Promise<string> => {
      const chunks: Buffer[] = [];
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
      const body = Buffer.concat(chunks).toString('utf8');
      const sent = JSON.parse(body) as Call | Call[];
      const calls = [sent].flat();
      const [call] = calls as [Call];
      // The first block is asked for once, to know the network.
      const isHeld = questions.includes(call.method) && call.params?.[0] !== '0x0';
      if (isHeld) missing.delete(call.method);
      if (missing.size === 0) open();
      if (isHeld) await asked;
      const headers = { 'Content-Type': 'application/json' };
      const answered = (await (await fetch(target, { method: 'POST', headers, body })).json()) as Answer | Answer[];
      const answers = [answered].flat().map((answer) => {
        const error = failure(calls.find(({ id }) => id === answer.id)!);
        return error ? { jsonrpc: '2.0', id: answer.id, error } : answer;
      });
      return JSON.stringify(Array.isArray(sent) ? answers : answers[0]);
    };
    const server = createServer((request, response) => {
      pass(request).then(
        (answer) => response.writeHead(200, { 'Content-Type': 'application/json' }).end(answer),
        () => response.destroy(),
      );
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Gate(server);
  }

  async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }
}
