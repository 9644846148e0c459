import { hexlify, parseEther, Transaction } from 'ethers';
import { newId } from '../../../src/kernel/ids.js';
import {
  ChainUnavailable,
  DataFeesTooHigh,
  FeeTooHigh,
  InsufficientFunds,
} from '../../../src/kernel/chain/chain.errors.js';
import { NATIVE_ASSETS } from '../../support/native-assets.js';
import type { Payment, PaymentStatus, SignedAttempt, TransactionSigner } from '../../../src/kernel/chain/payment.js';
import { NodeWatch } from '../../../src/modules/chain/infrastructure/endpoint-comparison.js';
import { EthereumChain } from '../../../src/modules/chain/infrastructure/ethereum/ethereum-chain.js';
import { ChainProxy } from '../../support/chain-proxy.js';
import { OpNode } from '../../support/op-node.js';
import { payingWallet } from './paying-wallet.js';

const GWEI = 10n ** 9n;
/** A thousand times the usual price of the chain below. */
const SPIKE = 20_000n * GWEI;
const DEST = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const ORACLE = '0x420000000000000000000000000000000000000F';
/** A contract that returns 42 for `getL1Fee`, and reverts for every other function. */
const L1_FEE_ALONE = '0x5f3560e01c6349948e0e146011575f5ffd5b602a5f5260205ff3';
/** The selectors of the oracle's views. */
const [L1_FEE, OPERATOR_FEE] = ['0x49948e0e', '0x275aedd2'] as const;

let node: OpNode;
let proxy: ChainProxy;
let chain: EthereumChain;
let wallet: TransactionSigner;
let logged: string[];

beforeAll(async () => {
  node = await OpNode.start();
  proxy = await ChainProxy.start(node.url);
});
afterAll(async () => {
  await proxy.stop();
  await node.stop();
});
beforeEach(async () => {
  proxy.answer = () => undefined;
  proxy.change = null;
  logged = [];
  chain = chainWith({});
  wallet = await payingWallet('ethereum');
  await node.fund(wallet.address, parseEther('1'));
  await node.price({ baseFee: 20n * GWEI });
  await node.mine();
});

function chainWith(settings: { maxL1Fee?: bigint; urls?: string[] }): EthereumChain {
  const log = { info: () => {}, warn: (_: object, message: string) => void logged.push(message) };
  const watch = new NodeWatch('ethereum', log as never);
  return new EthereumChain(
    { urls: [proxy.url], kind: 'op', chainId: node.chainId, finality: 0, minTip: GWEI / 1_000n, ...settings },
    watch,
  );
}
const payment = (changes: Partial<Payment> = {}): Payment => ({
  transferId: newId('transfer'),
  asset: NATIVE_ASSETS.ethereum,
  source: wallet.address,
  dest: DEST,
  amount: parseEther('0.1'),
  ...changes,
});
const status = (...attempts: SignedAttempt[]): Promise<PaymentStatus> => chain.status(wallet.address, attempts);
const hex = (value: bigint) => `0x${value.toString(16).padStart(64, '0')}`;
/** Has the oracle return these for a view. */
const say = (selector: string, result: unknown) =>
  (proxy.answer = (method, [call]) =>
    method === 'eth_call' && (call as { data: string }).data.startsWith(selector) ? result : undefined);

describe('a payment on a network of the OP stack', () => {
  it('costs exactly what the balance loses, in parts', async () => {
    const of = payment();
    const prepared = await chain.prepare(of);
    const attempt = prepared.sign(wallet, 0);
    const before = await node.balance(wallet.address);
    await chain.send(attempt);
    await node.mine();
    const { fee, dataFees, ...final } = (await status(attempt)) as Extract<PaymentStatus, { is: 'final' }>;
    expect(final).toMatchObject({ is: 'final', outcome: 'success' });
    expect(before - (await node.balance(wallet.address))).toBe(of.amount + fee);
    expect(dataFees).toEqual({ l1: 178_184_200_000n, operator: 21_000n * 5n + 70_000_000n });
    expect(fee).toBeLessThan(prepared.feeCap);
    expect(logged).toEqual([]);
  });

  it('of a token costs exactly what the balance of the coin loses', async () => {
    const token = await node.deployToken(wallet.address, 1_000n);
    const asset = { chain: 'ethereum', name: 'coupon', symbol: 'CPN', decimals: 6, token } as const;
    const attempt = (await chain.prepare(payment({ asset, amount: 7n }))).sign(wallet, 0);
    const before = await node.balance(wallet.address);
    await chain.send(attempt);
    await node.mine();
    const final = (await status(attempt)) as Extract<PaymentStatus, { is: 'final' }>;
    expect(final).toMatchObject({ is: 'final', outcome: 'success' });
    expect(before - (await node.balance(wallet.address))).toBe(final.fee);
    expect(final.dataFees!.l1).toBeGreaterThan(0n);
    expect(logged).toEqual([]);
  });

  it('reserves at least 30 % more than the oracle asks, in the quote and in the bound of the attempt', async () => {
    const { feeCap, dataFees, sign } = await chain.prepare(payment());
    const attempt = sign(wallet, 0);
    const { gasLimit, maxFeePerGas } = Transaction.from(hexlify(attempt.raw));
    const reserve = dataFees!.l1 + dataFees!.operator;
    expect(dataFees!.l1).toBeGreaterThanOrEqual((178_184_200_000n * 13n) / 10n);
    expect(dataFees!.operator).toBeGreaterThan(70_105_000n);
    expect(attempt.maxFee).toBe(gasLimit * maxFeePerGas! + reserve);
    expect(attempt.maxFee).toBeLessThanOrEqual(feeCap);
    await node.fund(wallet.address, parseEther('0.1') + feeCap);
    expect((await chain.prepare(payment(), feeCap, [], dataFees)).feeCap).toBe(feeCap);
  });

  it('is refused above the ceiling of the L1 and the operator fee, also as a cancellation', async () => {
    const attempt = (await chain.prepare(payment())).sign(wallet, 0);
    const { l1, operator } = (await chain.prepare(payment())).dataFees!;
    const asked = (l1 + operator) / 2n;
    chain = chainWith({ maxL1Fee: asked });
    await expect(chain.prepare(payment())).resolves.toBeDefined();
    chain = chainWith({ maxL1Fee: asked - 1n });
    await expect(chain.prepare(payment())).rejects.toThrow('max_l1_fee');
    await expect(chain.prepareCancellation(wallet.address, [attempt], parseEther('0.1'))).rejects.toThrow(FeeTooHigh);
  });

  it('is refused when a node answers an absurd operator fee', async () => {
    chain = chainWith({ maxL1Fee: parseEther('0.01') });
    say(OPERATOR_FEE, hex(parseEther('2')));
    await expect(chain.prepare(payment({ amount: 1n }))).rejects.toThrow('max_l1_fee');
    await expect(chain.prepareCancellation(wallet.address, [], parseEther('1'))).rejects.toThrow(FeeTooHigh);
  });

  it('is refused at the confirmation once a reserve leaves no margin, and a rise by half changes nothing', async () => {
    const of = payment();
    const { feeCap, dataFees } = await chain.prepare(of);
    await node.price({ baseFee: 30n * GWEI });
    expect((await chain.prepare(of, feeCap, [], dataFees)).feeCap).toBe(feeCap);
    await node.price({ baseFee: 32n * GWEI });
    await expect(chain.prepare(of, feeCap, [], dataFees)).rejects.toThrow(DataFeesTooHigh);
    await node.price({ baseFee: 20n * GWEI, operatorConstant: 1_000_000_000n });
    await expect(chain.prepare(of, feeCap, [], dataFees)).rejects.toThrow(DataFeesTooHigh);
  });

  it('pays a spike of the L1 price after its signing from what the wallet holds', async () => {
    const of = payment();
    const attempt = (await chain.prepare(of)).sign(wallet, 0);
    await chain.send(attempt);
    await node.price({ baseFee: SPIKE });
    const before = await node.balance(wallet.address);
    await node.mine();
    const { fee } = (await status(attempt)) as Extract<PaymentStatus, { is: 'final' }>;
    expect(fee).toBeGreaterThan(attempt.maxFee);
    expect(before - (await node.balance(wallet.address))).toBe(of.amount + fee);
  });

  it('of a whole balance enters no block during a spike, and is included after it', async () => {
    const attempt = await wholeBalance();
    // The engine reports what a sequencer leaves out.
    await expect(node.mine()).rejects.toThrow("doesn't have enough funds");
    expect(['not_seen', 'submitted']).toContain((await status(attempt)).is);
    await node.price({ baseFee: 20n * GWEI });
    await node.mine();
    expect(await status(attempt)).toMatchObject({ is: 'final', hash: attempt.hash });
  });

  it('of a whole balance can be cancelled during a spike', async () => {
    const attempt = await wholeBalance();
    const cap = attempt.maxFee * 20n;
    const cancellation = (await chain.prepareCancellation(wallet.address, [attempt], cap))!.sign(wallet, 0);
    expect(cancellation.maxFee).toBeLessThanOrEqual(cap);
    const before = await node.balance(wallet.address);
    await chain.send(cancellation);
    await node.mine();
    const final = (await status(attempt, cancellation)) as Extract<PaymentStatus, { is: 'final' }>;
    expect(final).toMatchObject({ is: 'final', hash: cancellation.hash });
    expect(before - (await node.balance(wallet.address))).toBe(final.fee);
    expect(logged).toEqual([]);
  });

  /** Sent, with nothing left beside the reserve. The price of the chain below rises before it is in a block. */
  async function wholeBalance(): Promise<SignedAttempt> {
    const { feeCap, dataFees } = await chain.prepare(payment());
    await node.fund(wallet.address, parseEther('0.1') + feeCap);
    const attempt = (await chain.prepare(payment(), feeCap, [], dataFees)).sign(wallet, 0);
    await chain.send(attempt);
    await node.price({ baseFee: SPIKE });
    return attempt;
  }

  it('has replacements with higher fees, each within the quote together with the reserve, also during a spike', async () => {
    const of = payment();
    const { feeCap, dataFees, sign } = await chain.prepare(of);
    const attempts = [sign(wallet, 0)];
    // A replacement takes the same data to the chain below, so a spike does not prevent it.
    await node.price({ baseFee: SPIKE });
    for (;;) {
      const replacement = await chain.prepareReplacement(of, attempts, feeCap, dataFees);
      if (replacement === null) break;
      attempts.push(replacement.sign(wallet, 0));
      expect(attempts.at(-1)!.maxFee).toBeGreaterThan(attempts.at(-2)!.maxFee);
      expect(attempts.at(-1)!.maxFee).toBeLessThanOrEqual(feeCap);
    }
    expect(attempts.length).toBeGreaterThan(2);
    await node.price({ baseFee: 20n * GWEI });
    await chain.send(attempts.at(-1)!);
    await node.mine();
    expect(await status(...attempts)).toMatchObject({ is: 'final', hash: attempts.at(-1)!.hash });
  });

  it('has no replacement that together with the reserve is above the quote', async () => {
    await node.price({ baseFee: SPIKE });
    const { feeCap, dataFees, sign } = await chain.prepare(payment());
    const first = sign(wallet, 0);
    const room = first.maxFee + (first.maxFee - dataFees!.l1 - dataFees!.operator) / 10n;
    expect(room).toBeLessThan(feeCap);
    expect(await chain.prepareReplacement(payment(), [first], room, dataFees)).toBeNull();
  });

  it('is cancelled by a self-transfer whose fees the balance shows to the wei', async () => {
    const cancellation = (await chain.prepareCancellation(wallet.address, [], parseEther('0.1')))!;
    const attempt = cancellation.sign(wallet, 0);
    expect(attempt.maxFee).toBe(cancellation.maxFee);
    await chain.send(attempt);
    await node.mine();
    const { fee } = (await status(attempt)) as Extract<PaymentStatus, { is: 'final' }>;
    expect(await node.balance(wallet.address)).toBe(parseEther('1') - fee);
    expect(fee).toBeLessThan(attempt.maxFee);
    await node.price({ baseFee: SPIKE });
    // The gas alone is within this bound.
    await expect(chain.prepareCancellation(wallet.address, [], parseEther('0.00015'))).rejects.toThrow(FeeTooHigh);
    await node.price({ baseFee: 20n * GWEI });
    await node.fund(wallet.address, 10n ** 12n);
    await expect(chain.prepareCancellation(wallet.address, [], parseEther('0.1'))).rejects.toThrow(InsufficientFunds);
  });

  it('is not possible to a predeployed contract', () => {
    expect(chain.isReserved('0x420000000000000000000000000000000000000F')).toBe(true);
    expect(chain.isReserved('0x42000000000000000000000000000000000007fF')).toBe(true);
    expect(chain.isReserved('0x4200000000000000000000000000000000000800')).toBe(false);
    expect(chain.isReserved('0x0000000000000000000000000000000000000100')).toBe(true);
  });
});

describe('the oracle of the fees', () => {
  it('is asked for the unsigned bytes, and for the gas of the transaction', async () => {
    const asked: string[] = [];
    proxy.answer = (method, [call]) => {
      if (method === 'eth_call') asked.push((call as { data: string }).data);
      return undefined;
    };
    const attempt = (await chain.prepare(payment())).sign(wallet, 0xffffff);
    const { unsignedSerialized, gasLimit } = Transaction.from(hexlify(attempt.raw));
    expect(asked.find((data) => data.startsWith(L1_FEE))).toContain(unsignedSerialized.slice(2));
    expect(asked.find((data) => data.startsWith(OPERATOR_FEE))).toBe(OPERATOR_FEE + hex(gasLimit).slice(2));
  });

  it('without getOperatorFee counts it as 0, and logs that once', async () => {
    const code = await node.call<string>('eth_getCode', ORACLE, 'latest');
    await node.call('hardhat_setCode', ORACLE, L1_FEE_ALONE);
    try {
      for (let i = 0; i < 3; i++) expect((await chain.prepare(payment())).dataFees).toEqual({ l1: 84n, operator: 0n });
    } finally {
      await node.call('hardhat_setCode', ORACLE, code);
    }
    expect(logged).toEqual(['the network has no getOperatorFee: its operator fee counts as 0']);
  });

  it('that does not exist makes the chain unavailable', async () => {
    const code = await node.call<string>('eth_getCode', ORACLE, 'latest');
    await node.call('hardhat_setCode', ORACLE, '0x');
    try {
      await expect(chain.prepare(payment())).rejects.toThrow(ChainUnavailable);
    } finally {
      await node.call('hardhat_setCode', ORACLE, code);
    }
  });

  it('whose call fails without a revert makes the chain unavailable', async () => {
    const payer = `0x${'0'.repeat(40)}`;
    await node.fund(payer, 0n);
    try {
      say(L1_FEE, hex(GWEI));
      await expect(chain.prepare(payment())).rejects.toThrow(ChainUnavailable);
    } finally {
      await node.fund(payer, parseEther('1'));
    }
  });

  describe.each([
    ['L1', L1_FEE],
    ['operator', OPERATOR_FEE],
  ])('that gives no number for the %s fee', (_, selector) => {
    it.each([['0x'], ['0x1'], [`0x${'00'.repeat(31)}`], [null]])(
      'but %j makes the chain unavailable',
      async (answer) => {
        say(selector, answer);
        await expect(chain.prepare(payment())).rejects.toThrow(ChainUnavailable);
      },
    );

    it('is asked at the next endpoint', async () => {
      chain = chainWith({ urls: [proxy.url, node.url] });
      say(selector, '0x');
      const { l1, operator } = (await chain.prepare(payment())).dataFees!;
      expect(l1).toBe(2n * 178_184_200_000n);
      expect(operator).toBeGreaterThan(2n * 70_105_000n);
    });
  });
});

describe('the books', () => {
  const paid = async () => {
    const attempt = (await chain.prepare(payment())).sign(wallet, 0);
    await chain.send(attempt);
    await node.mine();
    return attempt;
  };

  it('are compared with the change of the balance, and a difference is logged once', async () => {
    const attempt = await paid();
    proxy.change = (method, result) =>
      method === 'eth_getTransactionReceipt' && result ? { ...(result as object), l1Fee: '0x1' } : result;
    for (let i = 0; i < 2; i++) expect(await status(attempt)).toMatchObject({ is: 'final', dataFees: { l1: 1n } });
    expect(logged).toEqual([expect.stringMatching(/^the balance changed by another amount/)]);
  });

  it('read the operator fee in the unit of the fork that the receipt shows', async () => {
    const attempt = await paid();
    proxy.change = (method, result) =>
      method === 'eth_getTransactionReceipt' && result
        ? { ...(result as object), daFootprintGasScalar: '0x190', operatorFeeScalar: '0x2' }
        : result;
    expect(await status(attempt)).toMatchObject({ dataFees: { operator: 21_000n * 2n * 100n + 70_000_000n } });
  });

  it.each([
    ['more gas than its limit', { gasUsed: '0x1e8480' }],
    ['an L1 fee beyond any', { l1Fee: `0x${'f'.repeat(64)}` }],
    ['an operator fee beyond any', { operatorFeeConstant: `0x${'f'.repeat(64)}` }],
    ['a price beyond any', { effectiveGasPrice: `0x${'f'.repeat(64)}` }],
  ])('take no receipt with %s, and ask the next endpoint', async (_, fields) => {
    const attempt = await paid();
    proxy.change = (method, result) =>
      method === 'eth_getTransactionReceipt' && result ? { ...(result as object), ...fields } : result;
    expect(await status(attempt)).toMatchObject({ is: 'unknown' });
    chain = chainWith({ urls: [proxy.url, node.url] });
    expect(await status(attempt)).toMatchObject({ is: 'final', dataFees: { l1: 178_184_200_000n } });
  });

  it('need no state of earlier blocks', async () => {
    const attempt = await paid();
    proxy.answer = (method, [, at]) =>
      method === 'eth_getBalance' && typeof at === 'object' && !('requireCanonical' in (at as object))
        ? null
        : undefined;
    expect(await status(attempt)).toMatchObject({ is: 'final', dataFees: { l1: 178_184_200_000n } });
    expect(logged).toEqual([]);
  });
});

it('a payment that no node has is known as such also when the base fee cannot be read', async () => {
  const attempt = (await chain.prepare(payment())).sign(wallet, 0);
  expect(await status(attempt)).toEqual({ is: 'not_seen', stuckReason: 'sequencer_or_node_down' });
  proxy.change = (method, result) =>
    method === 'eth_getBlockByNumber' && result ? { ...(result as object), baseFeePerGas: null } : result;
  expect((await status(attempt)).is).toBe('not_seen');
});
