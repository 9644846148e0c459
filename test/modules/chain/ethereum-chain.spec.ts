import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hexlify, id, parseEther, Transaction } from 'ethers';
import { newId } from '../../../src/kernel/ids.js';
import type { Asset } from '../../../src/kernel/chain/asset.js';
import { NATIVE_ASSETS } from '../../support/native-assets.js';
import {
  NO_DATA_FEES,
  type Payment,
  type SignedAttempt,
  type TransactionSigner,
  type PaymentStatus,
} from '../../../src/kernel/chain/payment.js';
import {
  ChainUnavailable,
  FeesAboveQuote,
  InsufficientFunds,
  InvalidAddress,
  PaymentRefusedByChain,
} from '../../../src/kernel/chain/chain.errors.js';
import { EthereumChain } from '../../../src/modules/chain/infrastructure/ethereum/ethereum-chain.js';
import { outcomeOf } from '../../../src/modules/chain/infrastructure/ethereum/ethereum-transaction.js';
import { Anvil, type TokenBehaviour } from '../../support/anvil.js';
import { ChainProxy, type Fault, FAULTS } from '../../support/chain-proxy.js';
import { EthereumPool } from '../../support/machine-pool.js';
import { payingWallet } from './paying-wallet.js';

const DEPTH = 3;
const DEST = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';

let anvil: Anvil;
let proxy: ChainProxy;
let chain: EthereumChain;
let wallet: TransactionSigner;

beforeAll(async () => {
  anvil = await Anvil.start({ blockTime: 'never' });
  proxy = await ChainProxy.start(anvil.url, 20);
});
afterAll(async () => {
  await proxy.stop();
  await anvil.stop();
});
beforeEach(async () => {
  proxy.fault = () => null;
  proxy.answer = () => undefined;
  proxy.change = null;
  chain = newChain();
  wallet = await payingWallet('ethereum');
  await anvil.fund(wallet.address, parseEther('10'));
});

const payment = (changes: Partial<Payment> = {}): Payment => ({
  transferId: newId('transfer'),
  asset: NATIVE_ASSETS.ethereum,
  source: wallet.address,
  dest: DEST,
  amount: parseEther('0.1'),
  ...changes,
});
const newChain = () =>
  new EthereumChain({ urls: [proxy.url], chainId: anvil.chainId, finality: DEPTH, timeoutMs: 5_000 });
const token = async (behaviour: TokenBehaviour = 'honest', decimals = 6): Promise<Asset> => ({
  chain: 'ethereum',
  name: 'coupon',
  symbol: 'CPN',
  decimals,
  token: await anvil.deployToken(wallet.address, 1_000n, 6, behaviour),
});
const signed = async (of: Payment, nonce = 0): Promise<SignedAttempt> => (await chain.prepare(of)).sign(wallet, nonce);
const status = (...attempts: SignedAttempt[]): Promise<PaymentStatus> => chain.status(wallet.address, attempts);
/** As a process that has just started: it remembers no block, so every look makes all its calls. */
const freshStatus = (...attempts: SignedAttempt[]): Promise<PaymentStatus> =>
  newChain().status(wallet.address, attempts);

/** Uses up a nonce with a transaction that bypasses the service. Returns its hash. */
async function takeNonce(nonce: number): Promise<string> {
  const foreign = await signed(payment({ amount: 1n }), nonce);
  await anvil.call('eth_sendRawTransaction', hexlify(foreign.raw));
  await anvil.mine();
  return foreign.hash;
}

describe('an ethereum address', () => {
  it('an address is stored with its checksum, even if it is given in lower case', () => {
    expect(chain.address(DEST)).toBe(DEST);
    expect(chain.address(DEST.toLowerCase())).toBe(DEST);
  });

  it.each([
    '',
    DEST.slice(2),
    DEST.slice(0, -1),
    `${DEST}0`,
    DEST.toUpperCase(),
    `0x${DEST.slice(2).toUpperCase()}`,
    DEST.replace('A', 'a'),
    'XE7338O073KYGTWWZN0F2WZ0R8PX5ZPPZS',
    'vitalik.eth',
    ` ${DEST}`,
    `${DEST}\n`,
    DEST.replace('0x', '0X'),
    'FVen3X669xLzsi6N2V91DoiyzHzg1uAgqiT8jZ9nS96Z',
  ])('is not %j', (text) => {
    expect(() => chain.address(text)).toThrow(InvalidAddress);
  });
});

describe('preparing a payment on Ethereum', () => {
  it('a quote leaves room for attempts with a higher fee, and the first attempt costs less than the quote', async () => {
    const prepared = await chain.prepare(payment());
    const attempt = prepared.sign(wallet, 0);
    expect(prepared).toMatchObject({ balances: { coin: parseEther('10'), asset: parseEther('10') }, minimumLeft: 0n });
    expect(attempt.maxFee * 2n).toBe(prepared.feeCap);
  });

  it('a signed attempt contains exactly the payment', async () => {
    const of = payment();
    const attempt = await signed(of, 7);
    const read = Transaction.from(hexlify(attempt.raw));
    expect(read).toMatchObject({ from: wallet.address, to: DEST, value: of.amount, nonce: 7, data: '0x', type: 2 });
    expect(attempt).toMatchObject({ network: 'eip155:31337', hash: read.hash, nonce: 7, blockhash: null });
  });

  it('refuses to sign a payment with another wallet’s signer or without a nonce', async () => {
    const prepared = await chain.prepare(payment());
    const other = await payingWallet('ethereum');
    expect(() => prepared.sign(other, 0)).toThrow('not the source');
    expect(() => prepared.sign(wallet, null)).toThrow('nonce');
  });

  it('refuses a wrong signature of a payment', async () => {
    const prepared = await chain.prepare(payment());
    for (const signature of [new Uint8Array(65), new Uint8Array(64).fill(1), new Uint8Array(65).fill(255)]) {
      expect(() => prepared.sign({ address: wallet.address, signTransaction: () => signature }, 0)).toThrow();
    }
  });

  it('keeps the fee within the cap, and refuses a payment when the chain asks for more', async () => {
    const of = payment();
    const { feeCap } = await chain.prepare(of);
    expect((await chain.prepare(of, feeCap / 3n)).sign(wallet, 0).maxFee).toBeLessThanOrEqual(feeCap / 3n);
    await expect(chain.prepare(of, feeCap / 1_000n)).rejects.toThrow(FeesAboveQuote);
  });

  it('refuses a payment of more than the source holds', async () => {
    await expect(chain.prepare(payment({ amount: parseEther('10') + 1n }))).rejects.toThrow(InsufficientFunds);
    const asset = await token();
    await expect(chain.prepare(payment({ asset, amount: 1_001n }))).rejects.toThrow(InsufficientFunds);
  });

  it('refuses a destination that accepts no coins, such as the contract of a token', async () => {
    const { token: contract } = await token();
    await expect(chain.prepare(payment({ dest: contract! }))).rejects.toThrow(PaymentRefusedByChain);
  });

  it('refuses a token whose contract rejects the transfer, a token with other decimals than listed, and a contract that is no token', async () => {
    const refusing = await token('refusing');
    await expect(chain.prepare(payment({ asset: refusing, amount: 1n }))).rejects.toThrow(PaymentRefusedByChain);
    const mislisted = await token('honest', 18);
    await expect(chain.prepare(payment({ asset: mislisted, amount: 1n }))).rejects.toThrow('has 6 decimals');
    const none = { ...mislisted, token: DEST };
    await expect(chain.prepare(payment({ asset: none, amount: 1n }))).rejects.toThrow('is not a token');
  });

  it('refuses to prepare a payment on a chain that is not the configured one, and without a node', async () => {
    const elsewhere = new EthereumChain({ urls: [anvil.url], chainId: 1 });
    await expect(elsewhere.prepare(payment())).rejects.toThrow(ChainUnavailable);
    const nowhere = new EthereumChain({ urls: ['http://127.0.0.1:1'], chainId: 1 });
    await expect(nowhere.prepare(payment())).rejects.toThrow(ChainUnavailable);
    await expect(nowhere.balance(DEST, NATIVE_ASSETS.ethereum)).rejects.toThrow(ChainUnavailable);
  });
});

describe('requests to an Ethereum node', () => {
  const TERMS = [
    'eth_estimateGas',
    'eth_feeHistory',
    'eth_getBalance',
    'eth_getBlockByNumber',
    'eth_maxPriorityFeePerGas',
  ];

  /** The first method of each request that the work sends, sorted. */
  async function requestsOf(work: () => Promise<unknown>): Promise<string[]> {
    await chain.network();
    const requests: string[] = [];
    // Called once for each request.
    proxy.fault = (method) => {
      requests.push(method);
      return null;
    };
    await work();
    return requests.sort();
  }

  it.each(['coin', 'token'])(
    'the terms of a payment of the %s take five requests, and the newest block is read once',
    async (kind) => {
      const of = kind === 'coin' ? payment() : payment({ asset: await token(), amount: 1n });
      expect(await requestsOf(() => chain.prepare(of))).toEqual(TERMS);
    },
  );

  it.each(['coin', 'token'])('a confirmation of a payment of the %s takes seven requests', async (kind) => {
    const of = kind === 'coin' ? payment() : payment({ asset: await token(), amount: 1n });
    const { feeCap } = await chain.prepare(of);
    const requests = await requestsOf(async () => {
      const [prepared, { latest }] = await Promise.all([chain.prepare(of, feeCap), chain.nonces(wallet.address)]);
      await chain.send(prepared.sign(wallet, latest));
    });
    expect(requests).toEqual([...TERMS, 'eth_chainId', 'eth_sendRawTransaction'].sort());
  });

  it('the terms of a cancellation take five requests', async () => {
    const attempt = await signed(payment());
    const cap = parseEther('1');
    expect(await requestsOf(() => chain.prepareCancellation(wallet.address, [attempt], cap))).toEqual(TERMS);
  });
});

describe('a payment on Ethereum', () => {
  it('a payment passes through not seen, submitted, mined and final', async () => {
    const of = payment({ dest: (await payingWallet('ethereum')).address });
    const attempt = await signed(of);
    expect(await status(attempt)).toEqual({ is: 'not_seen' });
    expect(await chain.send(attempt)).toEqual({ accepted: true, detail: attempt.hash });
    expect(await status(attempt)).toEqual({ is: 'submitted', hash: attempt.hash });
    expect(await chain.nonces(wallet.address)).toEqual({ pending: 1, latest: 0 });
    await anvil.mine();
    expect(await status(attempt)).toMatchObject({ is: 'mined', hash: attempt.hash });
    await anvil.mine(DEPTH - 1);
    expect(await status(attempt)).toMatchObject({ is: 'mined' });
    await anvil.mine();
    const final = await status(attempt);
    expect(final).toMatchObject({ is: 'final', hash: attempt.hash, outcome: 'success' });
    expect(await chain.nonces(wallet.address)).toEqual({ pending: 1, latest: 1 });
    const { fee } = final as Extract<PaymentStatus, { is: 'final' }>;
    expect(await chain.balance(wallet.address, of.asset)).toBe(parseEther('10') - of.amount - fee);
    expect(await chain.balance(of.dest, of.asset)).toBe(of.amount);
    expect(fee).toBeLessThanOrEqual(attempt.maxFee);
  });

  it('a payment is final by the node’s own tag if no depth is configured', async () => {
    const tagged = new EthereumChain({ urls: [anvil.url], chainId: anvil.chainId });
    const attempt = await signed(payment());
    await chain.send(attempt);
    await anvil.mine(DEPTH + 1);
    expect(await tagged.status(wallet.address, [attempt])).toMatchObject({ is: 'mined' });
    await anvil.mine(100);
    expect(await tagged.status(wallet.address, [attempt])).toMatchObject({ is: 'final', outcome: 'success' });
  });

  it.each([
    ['0x64', 100n],
    [null, 0n],
  ])(
    'the fee of a payment includes the fee for data on the chain below (%s), if its receipt has one',
    async (l1Fee, more) => {
      const attempt = await signed(payment());
      await chain.send(attempt);
      await anvil.mine(1 + DEPTH);
      const { gasUsed, gasPrice } = (await anvil.provider.getTransactionReceipt(attempt.hash))!;
      proxy.change = (method, result) =>
        method === 'eth_getTransactionReceipt' ? { ...(result as object), l1Fee } : result;
      expect(await status(attempt)).toMatchObject({ is: 'final', fee: gasUsed * gasPrice + more });
      proxy.change = (method, result) =>
        method === 'eth_getTransactionReceipt' ? { ...(result as object), l1Fee: 'much' } : result;
      expect(await status(attempt)).toMatchObject({ is: 'unknown' });
    },
  );

  it('a payment that is sent several times is paid once', async () => {
    const of = payment({ dest: (await payingWallet('ethereum')).address });
    const attempt = await signed(of);
    await Promise.all(Array.from({ length: 20 }, () => chain.send(attempt)));
    await anvil.mine();
    await Promise.all(Array.from({ length: 20 }, () => chain.send(attempt)));
    await anvil.mine(DEPTH);
    expect(await status(attempt)).toMatchObject({ is: 'final' });
    expect(await chain.balance(of.dest, of.asset)).toBe(of.amount);
  });

  it('a payment whose block a reorganisation removed is no longer mined, and is mined again in another block', async () => {
    const attempt = await signed(payment());
    await chain.send(attempt);
    await anvil.mine();
    const first = (await status(attempt)) as Extract<PaymentStatus, { is: 'mined' }>;
    await anvil.reorganise(1);
    expect(await status(attempt)).toEqual({ is: 'not_seen' });
    await chain.send(attempt);
    await anvil.mine();
    const second = (await status(attempt)) as Extract<PaymentStatus, { is: 'mined' }>;
    expect(second.is).toBe('mined');
    expect(second.block.hash).not.toBe(first.block.hash);
  });

  it('a payment that fails on the chain is reverted, and its fee is known', async () => {
    const asset = await token();
    const attempt = await signed(payment({ asset, amount: 600n }), 1);
    const before = await signed(payment({ asset, amount: 600n }), 0);
    for (const each of [before, attempt]) await chain.send(each);
    await anvil.mine(1 + DEPTH);
    expect(await status(before)).toMatchObject({ is: 'final', outcome: 'success' });
    const reverted = (await status(attempt)) as Extract<PaymentStatus, { is: 'final' }>;
    expect(reverted).toMatchObject({ is: 'final', outcome: 'reverted' });
    expect(reverted.fee).toBeGreaterThan(0n);
  });

  it.each([
    ['honest', 'success', 300n],
    ['silent', 'diverged', 0n],
    ['taxing', 'diverged', 270n],
  ] as const)('in a token that is %s is a %s', async (behaviour, outcome, received) => {
    const asset = await token(behaviour);
    const of = payment({ asset, amount: 300n, dest: (await payingWallet('ethereum')).address });
    const attempt = await signed(of);
    await chain.send(attempt);
    await anvil.mine(1 + DEPTH);
    expect(await status(attempt)).toMatchObject({ is: 'final', outcome });
    expect(await chain.balance(of.dest, asset)).toBe(received);
  });
});

describe('what a mined call of a token did', () => {
  const contract = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359';
  const word = (value: string) => value.toLowerCase().replace('0x', '').padStart(64, '0');
  const call = {
    chainId: 1,
    to: contract,
    value: 0n,
    data: `${id('transfer(address,uint256)').slice(0, 10)}${word(DEST)}${word('64')}`,
    gasLimit: 1n,
    maxFeePerGas: 1n,
    maxPriorityFeePerGas: 1n,
  };
  const log = (address: string, from: string, to: string, amount: string) => ({
    address: address.toLowerCase(),
    topics: [id('Transfer(address,address,uint256)'), `0x${word(from)}`, `0x${word(to)}`],
    data: `0x${word(amount)}`,
  });
  const outcome = (...logs: ReturnType<typeof log>[]) =>
    outcomeOf(wallet.address, call, {
      transactionHash: '0x',
      blockNumber: 1,
      blockHash: '0x',
      succeeded: true,
      gasUsed: 21_000n,
      fee: 1n,
      dataFees: NO_DATA_FEES,
      logs,
    });

  it('a token payment succeeded if the token’s own log reports a move of exactly the amount from the source to the destination', () => {
    expect(outcome(log(contract, wallet.address, DEST, '64'))).toBe('success');
    expect(outcome(log(contract, wallet.address, contract, '1'), log(contract, wallet.address, DEST, '64'))).toBe(
      'success',
    );
    expect(outcome(log(contract, wallet.address, DEST, '63'))).toBe('diverged');
    expect(outcome(log(contract, wallet.address, contract, '64'))).toBe('diverged');
  });

  it('the outcome of a token payment diverges if the token reports no move, because it may move without a log', () => {
    expect(outcome()).toBe('diverged');
    expect(outcome(log(DEST, wallet.address, DEST, '64'))).toBe('diverged');
  });

  it('the outcome of a token payment diverges if the token reports a move from another source, or in a form of its own', () => {
    expect(outcome(log(contract, contract, DEST, '64'))).toBe('diverged');
    const words = [wallet.address, DEST, '64'].map(word).join('');
    const { address, topics } = log(contract, wallet.address, DEST, '64');
    expect(outcome({ address, topics: topics.slice(0, 1), data: `0x${words}` })).toBe('diverged');
  });
});

describe('an attempt on Ethereum that is too cheap', () => {
  it('an attempt that is too cheap is replaced with both fees raised by an eighth, as often as the cap allows, and one attempt is paid', async () => {
    const of = payment({ dest: (await payingWallet('ethereum')).address });
    const { feeCap, ...prepared } = await chain.prepare(of);
    const attempts = [prepared.sign(wallet, 0)];
    await chain.send(attempts[0]!);
    for (;;) {
      const bumped = await chain.prepareReplacement(of, attempts, feeCap);
      if (!bumped) break;
      attempts.push(bumped.sign(wallet, 0));
      expect(await chain.send(attempts.at(-1)!)).toMatchObject({ accepted: true });
      expect(attempts.at(-1)!.maxFee).toBeLessThanOrEqual(feeCap);
    }
    expect(attempts.length).toBeGreaterThanOrEqual(5);
    const fees = attempts.map(({ raw }) => Transaction.from(hexlify(raw)));
    for (const [index, fee] of fees.entries()) {
      const cheaper = fees[index - 1];
      if (!cheaper) continue;
      expect(fee.maxFeePerGas! * 8n).toBeGreaterThanOrEqual(cheaper.maxFeePerGas! * 9n);
      expect(fee.maxPriorityFeePerGas! * 8n).toBeGreaterThanOrEqual(cheaper.maxPriorityFeePerGas! * 9n);
      expect(fee).toMatchObject({ nonce: 0, to: of.dest, value: of.amount });
    }
    await anvil.mine(1 + DEPTH);
    expect(await status(...attempts)).toMatchObject({ is: 'final', hash: attempts.at(-1)!.hash, outcome: 'success' });
    expect(await chain.balance(of.dest, of.asset)).toBe(of.amount);
  });

  it('a replacement is signed only with the nonce of the attempt that it replaces', async () => {
    const of = payment();
    const { feeCap, ...prepared } = await chain.prepare(of);
    const bumped = await chain.prepareReplacement(of, [prepared.sign(wallet, 3)], feeCap);
    expect(() => bumped!.sign(wallet, 4)).toThrow('nonce');
  });

  it('a zero-value self-transfer on its nonce cancels an attempt', async () => {
    const of = payment({ dest: (await payingWallet('ethereum')).address });
    const attempt = await signed(of);
    await chain.send(attempt);
    const cancellation = (await chain.prepareCancellation(wallet.address, [attempt], parseEther('1')))!.sign(wallet, 0);
    expect(await chain.send(cancellation)).toMatchObject({ accepted: true });
    await anvil.mine(1 + DEPTH);
    expect(await status(attempt, cancellation)).toMatchObject({ is: 'final', hash: cancellation.hash });
    expect(await chain.balance(of.dest, of.asset)).toBe(0n);
  });

  it('a zero-value self-transfer also uses up an unused nonce, so no gap remains', async () => {
    const gap = (await chain.prepareCancellation(wallet.address, [], parseEther('1')))!.sign(wallet, 0);
    await chain.send(gap);
    await anvil.mine(1 + DEPTH);
    expect(await status(gap)).toMatchObject({ is: 'final', outcome: 'success' });
    expect(await chain.nonces(wallet.address)).toEqual({ pending: 1, latest: 1 });
  });
});

describe('proof that a payment on Ethereum is dead', () => {
  it('a payment is dead once a foreign transaction on its nonce is final, and not before', async () => {
    const attempts = [await signed(payment()), await signed(payment({ amount: 2n }))];
    const usedBy = await takeNonce(0);
    expect(await status(...attempts)).toMatchObject({ is: 'unknown' });
    await anvil.mine(DEPTH - 1);
    expect(await status(...attempts)).toMatchObject({ is: 'unknown' });
    await anvil.mine();
    expect(await status(...attempts)).toEqual({ is: 'dead', usedBy, payment: 'not_made' });
  });

  it('a payment is not dead while the nonce of one of its attempts is still free', async () => {
    const attempts = [await signed(payment(), 0), await signed(payment(), 1)];
    await takeNonce(0);
    await anvil.mine(DEPTH);
    expect(await status(...attempts)).toEqual({ is: 'not_seen' });
  });

  it('a payment is no longer dead after a reorganisation that frees its nonce', async () => {
    const attempt = await signed(payment());
    await takeNonce(0);
    await anvil.mine(DEPTH - 1);
    await anvil.reorganise(DEPTH);
    await anvil.mine();
    expect(await status(attempt)).toEqual({ is: 'not_seen' });
    await chain.send(attempt);
    await anvil.mine(1 + DEPTH);
    expect(await status(attempt)).toMatchObject({ is: 'final', outcome: 'success' });
  });

  it('a payment is not dead because its nonce is used on another network, to which the URL was moved while the service runs', async () => {
    const attempt = await signed(payment());
    const elsewhere = await Anvil.start({ blockTime: 'never', chainId: 5 });
    try {
      await elsewhere.fund(wallet.address, parseEther('10'));
      const there = new EthereumChain({ urls: [elsewhere.url], chainId: 5, finality: DEPTH });
      await elsewhere.mine(attempt.validFromBlock!);
      const used = (await there.prepare(payment())).sign(wallet, 0);
      await there.send(used);
      await elsewhere.mine(1 + DEPTH);
      proxy.target = elsewhere.url;
      expect(await status(attempt)).toMatchObject({ is: 'unknown' });
    } finally {
      proxy.target = anvil.url;
      await elsewhere.stop();
    }
    expect(await status(attempt)).toEqual({ is: 'not_seen' });
  });

  it('an attempt of another network is never dead, and neither is a payment without attempts', async () => {
    const attempt = await signed(payment());
    await takeNonce(0);
    await anvil.mine(DEPTH);
    expect(await status({ ...attempt, network: 'eip155:1' })).toMatchObject({ is: 'unknown' });
    expect(await status()).toMatchObject({ is: 'unknown' });
  });
});

describe('faults of an Ethereum node', () => {
  const harmless: readonly Fault[] = ['late', 'twice'];
  const harmful = FAULTS.filter((fault) => !harmless.includes(fault));

  /** Every status there is, and the attempts that have it. */
  async function attemptsByStatus(): Promise<Record<string, SignedAttempt[]>> {
    const dead = await signed(payment(), 0);
    await takeNonce(0);
    const final = await signed(payment(), 1);
    await chain.send(final);
    await anvil.mine(1 + DEPTH);
    const mined = await signed(payment(), 2);
    await chain.send(mined);
    await anvil.mine();
    const submitted = await signed(payment(), 3);
    await chain.send(submitted);
    return {
      dead: [dead],
      final: [final],
      mined: [mined],
      submitted: [submitted],
      not_seen: [await signed(payment(), 9)],
    };
  }

  it('a fault of the node at any call leaves a status unknown; a late or repeated answer changes nothing', async () => {
    const wrong: string[] = [];
    for (const [name, attempts] of Object.entries(await attemptsByStatus())) {
      proxy.fault = () => null;
      const before = new Map(proxy.calls);
      expect(await freshStatus(...attempts)).toMatchObject({ is: name });
      const methods = [...proxy.calls]
        .filter(([method, count]) => count !== before.get(method))
        .map(([method]) => method);
      expect(methods.length).toBeGreaterThanOrEqual(2);
      for (const method of methods) {
        for (const fault of FAULTS) {
          proxy.fault = (called) => (called === method ? fault : null);
          const { is } = await freshStatus(...attempts);
          if (is !== (harmful.includes(fault) ? 'unknown' : name)) wrong.push(`${name}, ${method} ${fault}: ${is}`);
        }
      }
    }
    expect(wrong).toEqual([]);
  });

  it('no fault of the node makes a payment dead or pays it twice', async () => {
    const of = payment({ dest: (await payingWallet('ethereum')).address });
    const attempt = await signed(of);
    for (const fault of FAULTS) {
      proxy.fault = () => fault;
      // A send that passes the fault after the first one is a repetition, which the node refuses.
      expect(await chain.send(attempt)).toMatchObject({ accepted: false });
      expect((await status(attempt)).is).not.toBe('dead');
    }
    proxy.fault = () => null;
    await anvil.mine(1 + DEPTH);
    expect(await status(attempt)).toMatchObject({ is: 'final', outcome: 'success' });
    expect(await chain.balance(of.dest, of.asset)).toBe(of.amount);
  });

  it('a machine that lags behind neither proves a payment dead nor reports a lost payment as mined', async () => {
    const attempt = await signed(payment());
    expect(await status(attempt)).toEqual({ is: 'not_seen' });
    await chain.send(attempt);
    await anvil.mine(1 + DEPTH);
    proxy.fault = (method) => (method === 'eth_getTransactionReceipt' ? 'stale' : null);
    expect(await status(attempt)).toMatchObject({ is: 'mined', stuckReason: 'node_lacks_history' });

    const other = await signed(payment(), 1);
    await chain.send(other);
    await anvil.mine();
    expect(await status(other)).toMatchObject({ is: 'mined' });
    await anvil.reorganise(1);
    expect(await status(other)).toMatchObject({ is: 'unknown' });
    proxy.fault = () => null;
    expect(await status(other)).toEqual({ is: 'not_seen' });
  });

  it.each(['lagging', 'forked'] as const)(
    'a machine that is %s does not report an earlier balance as that of a block that another machine has',
    async (machine) => {
      const pool = await EthereumPool.start(anvil);
      pool.lag = 1;
      const pooled = new EthereumChain({ urls: [pool.url], chainId: anvil.chainId, finality: DEPTH });
      const both = new EthereumChain({ urls: [pool.url, anvil.url], chainId: anvil.chainId, finality: DEPTH });
      try {
        const asset = await token();
        const paid = [
          await signed(payment({ amount: parseEther('6') })),
          await signed(payment({ asset, amount: 600n }), 1),
        ];
        // The forked machine stays on a block without the payments.
        await anvil.mine();
        if (machine === 'forked') await pool.reorganise(1);
        for (const each of paid) await chain.send(each);
        await anvil.mine();
        const split = ['eth_getBalance', 'eth_call'];
        pool.route = (method) => (split.includes(method) ? machine : 'head');
        const next = payment({ amount: 1n });
        await expect(pooled.prepare(next)).rejects.toThrow(ChainUnavailable);
        await expect(pooled.balance(wallet.address, asset)).rejects.toThrow(ChainUnavailable);
        const { balances, balancesAt } = await both.prepare(next);
        expect([balances.coin < parseEther('4'), balancesAt]).toEqual([true, await anvil.provider.getBlockNumber()]);
        expect(await both.balance(wallet.address, asset)).toBe(400n);
        // All answers of one machine: an earlier balance, and the earlier block.
        pool.route = () => machine;
        const earlier = await pooled.prepare(next);
        expect([earlier.balances.coin, earlier.balancesAt]).toEqual([parseEther('10'), balancesAt - 1]);
      } finally {
        await pool.stop();
      }
    },
  );

  it('a machine that does not have the newest block costs another read', async () => {
    const pool = await EthereumPool.start(anvil);
    pool.lag = 1;
    await anvil.mine();
    const pooled = new EthereumChain({ urls: [pool.url], chainId: anvil.chainId, finality: DEPTH });
    let refused = 0;
    pool.route = (method) => (method === 'eth_getBalance' && refused++ < 3 ? 'lagging' : 'head');
    try {
      const prepared = await pooled.prepare(payment({ amount: 1n }));
      expect([prepared.balances.coin, prepared.balancesAt]).toEqual([
        parseEther('10'),
        await anvil.provider.getBlockNumber(),
      ]);
      expect(refused).toBe(4);
    } finally {
      await pool.stop();
    }
  });

  it('the final block that a payment keeps is below the newest one, not that of a machine on a fork', async () => {
    const pool = await EthereumPool.start(anvil);
    await anvil.mine();
    await pool.reorganise(1);
    const replaced = await anvil.provider.getBlockNumber();
    await anvil.mine(2 * DEPTH);
    const pooled = new EthereumChain({ urls: [pool.url], chainId: anvil.chainId, finality: DEPTH });
    await pooled.network();
    let asked = 0;
    // The newest block is that of the head. Then the first block and the final one are those of the forked machine, once.
    pool.route = (method) => (method === 'eth_getBlockByNumber' && [2, 3].includes(++asked) ? 'forked' : 'head');
    try {
      const { finalBlock, finalBlockHash } = (await pooled.prepare(payment({ amount: 1n }))).sign(wallet, 0);
      expect([finalBlock, finalBlockHash]).toEqual([replaced, (await anvil.provider.getBlock(replaced))!.hash]);
      expect(asked).toBeGreaterThan(3);
    } finally {
      await pool.stop();
    }
  });

  it('the fees are those of the block of the balances, also when both are read again', async () => {
    const pool = await EthereumPool.start(anvil);
    pool.lag = 1;
    for (const baseFee of ['0x3b9aca00', '0x77359400']) {
      await anvil.call('anvil_setNextBlockBaseFeePerGas', baseFee);
      await anvil.mine();
    }
    const pooled = new EthereumChain({ urls: [pool.url], chainId: anvil.chainId, finality: DEPTH });
    let refused = 0;
    // The newest block is that of the head until the lagging machine refuses it, then that of the lagging machine.
    pool.route = (method) => {
      if (method === 'eth_getBlockByNumber') return refused === 0 ? 'head' : 'lagging';
      return method === 'eth_getBalance' && refused++ === 0 ? 'lagging' : 'head';
    };
    try {
      const of = payment({ amount: 1n });
      for (const prepared of [await pooled.prepare(of), await pooled.prepare(of)]) {
        const { maxFeePerGas, maxPriorityFeePerGas } = Transaction.from(hexlify(prepared.sign(wallet, 0).raw));
        const block = (await anvil.provider.getBlock(prepared.balancesAt))!;
        expect(maxFeePerGas! - maxPriorityFeePerGas!).toBe(block.baseFeePerGas! * 2n);
        expect(block.baseFeePerGas).toBe(10n ** 9n);
      }
    } finally {
      await pool.stop();
    }
  });

  it('a fault of the node during preparation is reported as an unavailable node', async () => {
    for (const method of [
      'eth_chainId',
      'eth_getBlockByNumber',
      'eth_maxPriorityFeePerGas',
      'eth_getBalance',
      'eth_estimateGas',
    ]) {
      for (const fault of harmful) {
        const fresh = new EthereumChain({ urls: [proxy.url], chainId: anvil.chainId, finality: DEPTH });
        proxy.fault = (called) => (called === method ? fault : null);
        await expect(fresh.prepare(payment())).rejects.toThrow(ChainUnavailable);
      }
    }
  });

  it('a fault of the node during a contract call is not taken for a refusal by the contract, which would end the transfer', async () => {
    const asset = await token();
    // The views of the token are in one request with the balance of the coin.
    for (const method of ['eth_getBalance', 'eth_estimateGas']) {
      for (const fault of harmful) {
        proxy.fault = (called) => (called === method ? fault : null);
        await expect(chain.prepare(payment({ asset, amount: 1n }))).rejects.toThrow(ChainUnavailable);
      }
    }
  });

  it.each([
    ['is not UTF-8', () => Buffer.from([0x22, 0xff, 0x22])],
    ['is not JSON', () => Buffer.from('{"result":')],
    ['is empty', () => Buffer.alloc(0)],
    [
      'answers another call',
      (id: number) => Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: id + 1, result: '0x7a69' })),
    ],
    [
      'has two answers',
      (id: number) => Buffer.from(JSON.stringify([1, 2].map(() => ({ jsonrpc: '2.0', id, result: '0x7a69' })))),
    ],
    ['has no result', (id: number) => Buffer.from(JSON.stringify({ jsonrpc: '2.0', id }))],
    [
      'is a result and an error',
      (id: number) => Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, result: '0x7a69', error: { code: 3 } })),
    ],
  ])('a response that %s is no answer', async (_, bodyFor: (id: number) => Buffer) => {
    let body: (id: number, method: string) => Buffer = bodyFor;
    const server = createServer((request, response) => {
      void (async () => {
        const call = JSON.parse(Buffer.concat(await request.toArray()).toString()) as { id: number; method: string };
        response.end(body(call.id, call.method));
      })();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      const single = new EthereumChain({ urls: [url], chainId: anvil.chainId });
      await expect(single.network()).rejects.toThrow(ChainUnavailable);
      const hash = `0x${'00'.repeat(32)}`;
      body = (id, method) => {
        const result = method === 'eth_chainId' ? '0x7a69' : { number: '0x0', hash, parentHash: hash };
        return Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, result }));
      };
      expect(await single.network()).toBe('eip155:31337');
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });

  it('does not follow redirects', async () => {
    let isReached = false;
    const target = createServer((request, response) => {
      isReached = true;
      request.resume();
      response.end('{}');
    }).listen(0, '127.0.0.1');
    await once(target, 'listening');
    const redirecting = createServer((request, response) => {
      request.resume();
      response.writeHead(307, { Location: `http://127.0.0.1:${(target.address() as AddressInfo).port}/` }).end();
    }).listen(0, '127.0.0.1');
    await once(redirecting, 'listening');
    try {
      const url = `http://127.0.0.1:${(redirecting.address() as AddressInfo).port}`;
      const single = new EthereumChain({ urls: [url], chainId: anvil.chainId });
      await expect(single.network()).rejects.toThrow(ChainUnavailable);
      expect(isReached).toBe(false);
    } finally {
      for (const server of [target, redirecting]) {
        server.close();
        server.closeAllConnections();
      }
    }
  });

  it('a payment that a lagging machine refuses is not refused', async () => {
    const asset = await token();
    const holder = await payingWallet('ethereum');
    const pool = await EthereumPool.start(anvil);
    pool.lag = 1;
    const pooled = new EthereumChain({ urls: [pool.url], chainId: anvil.chainId, finality: DEPTH });
    pool.route = (method) => (method === 'eth_estimateGas' ? 'lagging' : 'head');
    try {
      const sent = await chain.prepare(payment({ asset, amount: 2n, dest: holder.address }));
      await chain.send(sent.sign(wallet, (await chain.nonces(wallet.address)).latest));
      await anvil.mine();
      const of = payment({ asset, amount: 2n, source: holder.address });
      // It does not have the block of the balances either.
      await expect(pooled.prepare(of)).rejects.toThrow(ChainUnavailable);
      let estimates = 0;
      pool.route = (method) => (method === 'eth_estimateGas' && estimates++ === 0 ? 'lagging' : 'head');
      await expect(pooled.prepare(of)).resolves.toBeDefined();
      expect(estimates).toBe(2);
    } finally {
      await pool.stop();
    }
  });

  it('refuses to sign with less gas than any transaction takes', async () => {
    const asset = await token();
    for (const gas of ['0x0', '0x1', '0x5207']) {
      proxy.answer = (method) => (method === 'eth_estimateGas' ? gas : undefined);
      await expect(chain.prepare(payment({ asset, amount: 1n }))).rejects.toThrow(ChainUnavailable);
    }
  });

  it('returns no nonce if the node counts more pending transactions than nodes keep', async () => {
    const waiting = (count: number) => {
      proxy.answer = (_, [, block]) => (block === 'pending' ? `0x${count.toString(16)}` : undefined);
    };
    waiting(64);
    expect(await chain.nonces(wallet.address)).toEqual({ latest: 0, pending: 64 });
    waiting(65);
    await expect(chain.nonces(wallet.address)).rejects.toThrow(ChainUnavailable);
  });

  it('returns no nonce if the node counts far fewer transactions with the pending ones than without', async () => {
    const mined = (count: number) => {
      proxy.answer = (_, [, block]) => (block === 'latest' ? `0x${count.toString(16)}` : undefined);
    };
    // A machine that lags behind reports the pending count.
    mined(64);
    expect(await chain.nonces(wallet.address)).toEqual({ latest: 64, pending: 0 });
    mined(65);
    await expect(chain.nonces(wallet.address)).rejects.toThrow(ChainUnavailable);
  });

  it('returns a doubted nonce if a second read agrees', async () => {
    const counts = (count: number) => {
      proxy.answer = (method) => (method === 'eth_getTransactionCount' ? `0x${count.toString(16)}` : undefined);
    };
    counts(1_000);
    const doubted = await chain.nonces(wallet.address);
    counts(1_064);
    const agreed = { latest: 1_064, pending: 1_064, areAgreed: true };
    expect(await chain.nonces(wallet.address, doubted)).toEqual(agreed);
    for (const other of [1_065, 935, 0]) {
      counts(other);
      await expect(chain.nonces(wallet.address, doubted)).rejects.toThrow(ChainUnavailable);
    }
  });

  it('returns a doubted nonce if every endpoint that answers agrees, and at least two do', async () => {
    const second = await ChainProxy.start(anvil.url, 20);
    const third = await ChainProxy.start(anvil.url, 20);
    const urls = [proxy.url, second.url, third.url];
    const both = new EthereumChain({ urls, chainId: anvil.chainId, finality: DEPTH, timeoutMs: 15_000 });
    const counts = (of: ChainProxy, count: number) => {
      of.answer = (method) => (method === 'eth_getTransactionCount' ? `0x${count.toString(16)}` : undefined);
    };
    try {
      for (const each of [proxy, second, third]) counts(each, 1_000);
      const doubted = await both.nonces(wallet.address);
      expect(await both.nonces(wallet.address, doubted)).toEqual({ latest: 1_000, pending: 1_000, areAgreed: true });
      counts(third, 3);
      await expect(both.nonces(wallet.address, doubted)).rejects.toThrow(ChainUnavailable);
      third.answer = () => undefined;
      third.fault = () => 'unavailable';
      expect(await both.nonces(wallet.address, doubted)).toMatchObject({ latest: 1_000 });
      second.answer = () => undefined;
      second.fault = () => 'unavailable';
      await expect(both.nonces(wallet.address, doubted)).rejects.toThrow(ChainUnavailable);
    } finally {
      await Promise.all([second.stop(), third.stop()]);
    }
  });

  it('returns no nonce of another network, to which the URL was moved while the service runs', async () => {
    expect(await chain.nonces(wallet.address)).toEqual({ latest: 0, pending: 0 });
    proxy.answer = (method) => (method === 'eth_chainId' ? '0x5' : undefined);
    await expect(chain.nonces(wallet.address)).rejects.toThrow(ChainUnavailable);
  });

  it('believes no response of another chain with the same id, to which the URL was moved for one request', async () => {
    await anvil.fund(wallet.address, 10n ** 18n);
    await chain.nonces(wallet.address);
    const reads = [() => chain.nonces(wallet.address), () => chain.prepare(payment({ amount: 1n }))];
    for (const read of reads) {
      let isMoved = true;
      proxy.answer = (method, [block]) => {
        if (method !== 'eth_getBlockByNumber' || block !== '0x0' || !isMoved) return undefined;
        isMoved = false;
        return { number: '0x0', hash: `0x${'0e'.repeat(32)}`, parentHash: `0x${'00'.repeat(32)}` };
      };
      await expect(read()).rejects.toThrow(ChainUnavailable);
      expect(isMoved).toBe(false);
      await expect(read()).resolves.toBeDefined();
    }
  });

  it('a call to a silent node ends at the time limit', async () => {
    const attempt = await signed(payment());
    // Longer than the time limit of the test.
    const slow = await ChainProxy.start(anvil.url, 600_000);
    slow.fault = () => 'late';
    const impatient = new EthereumChain({ urls: [slow.url], chainId: anvil.chainId, timeoutMs: 100 });
    expect(await impatient.status(wallet.address, [attempt])).toMatchObject({ is: 'unknown' });
    expect(await impatient.send(attempt)).toMatchObject({ accepted: false });
    await slow.stop();
  });
});

describe('a block in which a transaction was seen', () => {
  let second: ChainProxy;
  beforeAll(async () => {
    second = await ChainProxy.start(anvil.url, 20);
  });
  afterAll(() => second.stop());
  afterEach(() => {
    second.answer = () => undefined;
    second.fault = () => null;
  });

  const ofTwo = () =>
    new EthereumChain({ urls: [proxy.url, second.url], chainId: anvil.chainId, finality: DEPTH, timeoutMs: 5_000 });
  /** The newest block, and the answer of an endpoint that has another one in its place. */
  async function replaced() {
    await anvil.mine();
    const block = await anvil.call<{ number: string; hash: string }>('eth_getBlockByNumber', 'latest', false);
    const other = { ...block, hash: id('another block') };
    const answer = (method: string, [number]: readonly unknown[]) =>
      method === 'eth_getBlockByNumber' && number === block.number ? other : undefined;
    return { place: { number: Number(block.number), hash: block.hash }, answer };
  }

  it('is lost when an endpoint has another one in its place, unless another endpoint has the block', async () => {
    const { place, answer } = await replaced();
    expect(await ofTwo().hasLost('0x', place)).toBe(false);
    proxy.answer = answer;
    expect(await ofTwo().hasLost('0x', place)).toBe(false);
    second.answer = answer;
    expect(await ofTwo().hasLost('0x', place)).toBe(true);
    second.fault = () => 'unavailable';
    second.answer = () => undefined;
    expect(await ofTwo().hasLost('0x', place)).toBe(true);
  });

  it('is not lost while the endpoints lag behind it or do not respond', async () => {
    const { place } = await replaced();
    const lags = (method: string, [number]: readonly unknown[]) =>
      method === 'eth_getBlockByNumber' && Number(number) === place.number ? null : undefined;
    [proxy.answer, second.answer] = [lags, lags];
    expect(await ofTwo().hasLost('0x', place)).toBe(false);
    [proxy.answer, second.answer] = [() => undefined, () => undefined];
    [proxy.fault, second.fault] = [() => 'unavailable', () => 'unavailable'];
    expect(await ofTwo().hasLost('0x', place)).toBe(false);
  });
});
