import { hexlify, id, parseEther, Transaction } from 'ethers';
import { newId } from '../../../src/kernel/ids.js';
import { type Asset, NATIVE_ASSETS } from '../../../src/kernel/chain/asset.js';
import type { Payment, SignedAttempt, TransactionSigner } from '../../../src/kernel/chain/payment.js';
import type { PaymentStatus } from '../../../src/kernel/chain/payment-status.js';
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
  chain = new EthereumChain({ urls: [proxy.url], chainId: anvil.chainId, finalityDepth: DEPTH, timeoutMs: 5_000 });
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
const token = async (behaviour: TokenBehaviour = 'honest', decimals = 6): Promise<Asset> => ({
  chain: 'ethereum',
  name: 'coupon',
  symbol: 'CPN',
  decimals,
  token: await anvil.deployToken(wallet.address, 1_000n, 6, behaviour),
});
const signed = async (of: Payment, nonce = 0): Promise<SignedAttempt> => (await chain.prepare(of)).sign(wallet, nonce);
const status = (...attempts: SignedAttempt[]): Promise<PaymentStatus> => chain.status(wallet.address, attempts);

/** The owner of a wallet's key sends with it past the service: the nonce is gone. The hash of what was sent. */
async function takeNonce(nonce: number): Promise<string> {
  const foreign = await signed(payment({ amount: 1n }), nonce);
  await anvil.call('eth_sendRawTransaction', hexlify(foreign.raw));
  await anvil.mine();
  return foreign.hash;
}

describe('an ethereum address', () => {
  it('is stored checksummed, given so or all in lower case', () => {
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
  it('quotes room for dearer attempts, and signs the first well within it', async () => {
    const prepared = await chain.prepare(payment());
    const attempt = prepared.sign(wallet, 0);
    expect(prepared).toMatchObject({ balances: { coin: parseEther('10'), asset: parseEther('10') }, minimumLeft: 0n });
    expect(attempt.maxFee * 2n).toBe(prepared.feeCap);
  });

  it('says what a signed attempt says, and nothing else', async () => {
    const of = payment();
    const attempt = await signed(of, 7);
    const read = Transaction.from(hexlify(attempt.raw));
    expect(read).toMatchObject({ from: wallet.address, to: DEST, value: of.amount, nonce: 7, data: '0x', type: 2 });
    expect(attempt).toMatchObject({ network: 'eip155:31337', hash: read.hash, nonce: 7, blockhash: null });
  });

  it('gives nothing to another wallet’s signer, and nothing without a nonce', async () => {
    const prepared = await chain.prepare(payment());
    const other = await payingWallet('ethereum');
    expect(() => prepared.sign(other, 0)).toThrow('not the source');
    expect(() => prepared.sign(wallet, null)).toThrow('nonce');
  });

  it('lets no wrong signature out', async () => {
    const prepared = await chain.prepare(payment());
    for (const signature of [new Uint8Array(65), new Uint8Array(64).fill(1), new Uint8Array(65).fill(255)]) {
      expect(() => prepared.sign({ address: wallet.address, signTransaction: () => signature }, 0)).toThrow();
    }
  });

  it('stays within a cap, and refuses when the chain has become dearer than that', async () => {
    const of = payment();
    const { feeCap } = await chain.prepare(of);
    expect((await chain.prepare(of, feeCap / 3n)).sign(wallet, 0).maxFee).toBeLessThanOrEqual(feeCap / 3n);
    await expect(chain.prepare(of, feeCap / 1_000n)).rejects.toThrow(FeesAboveQuote);
  });

  it('refuses more than the source holds', async () => {
    await expect(chain.prepare(payment({ amount: parseEther('10') + 1n }))).rejects.toThrow(InsufficientFunds);
    const asset = await token();
    await expect(chain.prepare(payment({ asset, amount: 1_001n }))).rejects.toThrow(InsufficientFunds);
  });

  it('refuses a destination that takes no coins, as a token’s contract', async () => {
    const { token: contract } = await token();
    await expect(chain.prepare(payment({ dest: contract! }))).rejects.toThrow(PaymentRefusedByChain);
  });

  it('refuses a token that refuses, one of other decimals than listed, and what is no token', async () => {
    const refusing = await token('refusing');
    await expect(chain.prepare(payment({ asset: refusing, amount: 1n }))).rejects.toThrow(PaymentRefusedByChain);
    const mislisted = await token('honest', 18);
    await expect(chain.prepare(payment({ asset: mislisted, amount: 1n }))).rejects.toThrow('has 6 decimals');
    const none = { ...mislisted, token: DEST };
    await expect(chain.prepare(payment({ asset: none, amount: 1n }))).rejects.toThrow('is not a token');
  });

  it('is refused on another chain than the configured one, and without a node', async () => {
    const elsewhere = new EthereumChain({ urls: [anvil.url], chainId: 1 });
    await expect(elsewhere.prepare(payment())).rejects.toThrow(ChainUnavailable);
    const nowhere = new EthereumChain({ urls: ['http://127.0.0.1:1'], chainId: 1 });
    await expect(nowhere.prepare(payment())).rejects.toThrow(ChainUnavailable);
    await expect(nowhere.balance(DEST, NATIVE_ASSETS.ethereum)).rejects.toThrow(ChainUnavailable);
  });
});

describe('a payment on Ethereum', () => {
  it('is not seen, submitted, mined and final', async () => {
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

  it('is final by the node’s own tag where no depth is configured', async () => {
    const tagged = new EthereumChain({ urls: [anvil.url], chainId: anvil.chainId });
    const attempt = await signed(payment());
    await chain.send(attempt);
    await anvil.mine(DEPTH + 1);
    expect(await tagged.status(wallet.address, [attempt])).toMatchObject({ is: 'mined' });
    await anvil.mine(100);
    expect(await tagged.status(wallet.address, [attempt])).toMatchObject({ is: 'final', outcome: 'success' });
  });

  it('sent again, however often, is paid once', async () => {
    const of = payment({ dest: (await payingWallet('ethereum')).address });
    const attempt = await signed(of);
    await Promise.all(Array.from({ length: 20 }, () => chain.send(attempt)));
    await anvil.mine();
    await Promise.all(Array.from({ length: 20 }, () => chain.send(attempt)));
    await anvil.mine(DEPTH);
    expect(await status(attempt)).toMatchObject({ is: 'final' });
    expect(await chain.balance(of.dest, of.asset)).toBe(of.amount);
  });

  it('whose block was reorganised away is not mined any more, and is mined again in another', async () => {
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

  it('that fails on the chain is reverted, and its fee is known', async () => {
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
      fee: 1n,
      logs,
    });

  it('is told by the token’s own log of a move from the source, of exactly the amount and to the destination', () => {
    expect(outcome(log(contract, wallet.address, DEST, '64'))).toBe('success');
    expect(outcome(log(contract, wallet.address, contract, '1'), log(contract, wallet.address, DEST, '64'))).toBe(
      'success',
    );
    expect(outcome(log(contract, wallet.address, DEST, '63'))).toBe('diverged');
    expect(outcome(log(contract, wallet.address, contract, '64'))).toBe('diverged');
  });

  it('is not certain when the token reports no move, for it may move without a log', () => {
    expect(outcome()).toBe('diverged');
    expect(outcome(log(DEST, wallet.address, DEST, '64'))).toBe('diverged');
  });

  it('is not certain when the token tells of a move from elsewhere, or in a form of its own', () => {
    expect(outcome(log(contract, contract, DEST, '64'))).toBe('diverged');
    const words = [wallet.address, DEST, '64'].map(word).join('');
    const { address, topics } = log(contract, wallet.address, DEST, '64');
    expect(outcome({ address, topics: topics.slice(0, 1), data: `0x${words}` })).toBe('diverged');
  });
});

describe('an attempt on Ethereum that is too cheap', () => {
  it('is replaced by one an eighth dearer in both fees, as often as the cap allows, and one of them is paid', async () => {
    const of = payment({ dest: (await payingWallet('ethereum')).address });
    const { feeCap, ...prepared } = await chain.prepare(of);
    const attempts = [prepared.sign(wallet, 0)];
    await chain.send(attempts[0]!);
    for (;;) {
      const dearer = await chain.prepareReplacement(of, attempts, feeCap);
      if (!dearer) break;
      attempts.push(dearer.sign(wallet, 0));
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

  it('has its replacement signed with no other nonce', async () => {
    const of = payment();
    const { feeCap, ...prepared } = await chain.prepare(of);
    const dearer = await chain.prepareReplacement(of, [prepared.sign(wallet, 3)], feeCap);
    expect(() => dearer!.sign(wallet, 4)).toThrow('nonce');
  });

  it('is called back by a payment of nothing to oneself on its nonce', async () => {
    const of = payment({ dest: (await payingWallet('ethereum')).address });
    const attempt = await signed(of);
    await chain.send(attempt);
    const cancellation = (await chain.prepareCancellation(wallet.address, [attempt], parseEther('1')))!.sign(wallet, 0);
    expect(await chain.send(cancellation)).toMatchObject({ accepted: true });
    await anvil.mine(1 + DEPTH);
    expect(await status(attempt, cancellation)).toMatchObject({ is: 'final', hash: cancellation.hash });
    expect(await chain.balance(of.dest, of.asset)).toBe(0n);
  });

  it('leaves no gap: an unused nonce is used up the same way', async () => {
    const gap = (await chain.prepareCancellation(wallet.address, [], parseEther('1')))!.sign(wallet, 0);
    await chain.send(gap);
    await anvil.mine(1 + DEPTH);
    expect(await status(gap)).toMatchObject({ is: 'final', outcome: 'success' });
    expect(await chain.nonces(wallet.address)).toEqual({ pending: 1, latest: 1 });
  });
});

describe('proof that a payment on Ethereum is dead', () => {
  it('is a foreign transaction on its nonce, once that is final and not before', async () => {
    const attempts = [await signed(payment()), await signed(payment({ amount: 2n }))];
    const usedBy = await takeNonce(0);
    expect(await status(...attempts)).toMatchObject({ is: 'unknown' });
    await anvil.mine(DEPTH - 1);
    expect(await status(...attempts)).toMatchObject({ is: 'unknown' });
    await anvil.mine();
    expect(await status(...attempts)).toEqual({ is: 'dead', usedBy });
  });

  it('is not given while one of the attempts has a nonce that is still free', async () => {
    const attempts = [await signed(payment(), 0), await signed(payment(), 1)];
    await takeNonce(0);
    await anvil.mine(DEPTH);
    expect(await status(...attempts)).toEqual({ is: 'not_seen' });
  });

  it('is taken back by a reorganisation that frees the nonce again', async () => {
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

  it('is never given to an attempt of another network, nor for no attempts at all', async () => {
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
  async function standings(): Promise<Record<string, SignedAttempt[]>> {
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

  it('at any call of a status leave it unknown; a late or repeated answer changes nothing', async () => {
    const wrong: string[] = [];
    for (const [name, attempts] of Object.entries(await standings())) {
      proxy.fault = () => null;
      const before = new Map(proxy.calls);
      expect(await status(...attempts)).toMatchObject({ is: name });
      const methods = [...proxy.calls]
        .filter(([method, count]) => count !== before.get(method))
        .map(([method]) => method);
      expect(methods.length).toBeGreaterThanOrEqual(2);
      for (const method of methods) {
        for (const fault of FAULTS) {
          proxy.fault = (called) => (called === method ? fault : null);
          const { is } = await status(...attempts);
          if (is !== (harmful.includes(fault) ? 'unknown' : name)) wrong.push(`${name}, ${method} ${fault}: ${is}`);
        }
      }
    }
    expect(wrong).toEqual([]);
  });

  it('never make a payment be taken for dead or carried out twice, whatever else they do', async () => {
    const of = payment({ dest: (await payingWallet('ethereum')).address });
    const attempt = await signed(of);
    for (const fault of FAULTS) {
      proxy.fault = () => fault;
      // Those that get through after the first are repetitions, which the node refuses.
      expect(await chain.send(attempt)).toMatchObject({ accepted: false });
      expect((await status(attempt)).is).not.toBe('dead');
    }
    proxy.fault = () => null;
    await anvil.mine(1 + DEPTH);
    expect(await status(attempt)).toMatchObject({ is: 'final', outcome: 'success' });
    expect(await chain.balance(of.dest, of.asset)).toBe(of.amount);
  });

  it('that answers from behind, as one of several machines, neither bury a payment nor keep a lost one alive', async () => {
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

  it('while preparing are told as the node being away', async () => {
    for (const method of [
      'eth_chainId',
      'eth_getBlockByNumber',
      'eth_maxPriorityFeePerGas',
      'eth_blockNumber',
      'eth_estimateGas',
    ]) {
      for (const fault of harmful) {
        const fresh = new EthereumChain({ urls: [proxy.url], chainId: anvil.chainId, finalityDepth: DEPTH });
        proxy.fault = (called) => (called === method ? fault : null);
        await expect(fresh.prepare(payment())).rejects.toThrow(ChainUnavailable);
      }
    }
  });

  it('while a contract is asked are not the contract’s refusal, which would end the transfer', async () => {
    const asset = await token();
    for (const method of ['eth_call', 'eth_estimateGas']) {
      for (const fault of harmful) {
        proxy.fault = (called) => (called === method ? fault : null);
        await expect(chain.prepare(payment({ asset, amount: 1n }))).rejects.toThrow(ChainUnavailable);
      }
    }
  });

  it('that names less gas than any transaction takes get nothing signed', async () => {
    const asset = await token();
    for (const gas of ['0x0', '0x1', '0x5207']) {
      proxy.answer = (method) => (method === 'eth_estimateGas' ? gas : undefined);
      await expect(chain.prepare(payment({ asset, amount: 1n }))).rejects.toThrow(ChainUnavailable);
    }
  });

  it('that count more waiting transactions than nodes keep get no nonce from it', async () => {
    const waiting = (count: number) => {
      proxy.answer = (_, [, block]) => (block === 'pending' ? `0x${count.toString(16)}` : undefined);
    };
    waiting(64);
    expect(await chain.nonces(wallet.address)).toEqual({ latest: 0, pending: 64 });
    waiting(65);
    await expect(chain.nonces(wallet.address)).rejects.toThrow(ChainUnavailable);
  });

  it('of silence end at the time limit', async () => {
    const attempt = await signed(payment());
    // Later than the test may take.
    const slow = await ChainProxy.start(anvil.url, 600_000);
    slow.fault = () => 'late';
    const impatient = new EthereumChain({ urls: [slow.url], chainId: anvil.chainId, timeoutMs: 100 });
    expect(await impatient.status(wallet.address, [attempt])).toMatchObject({ is: 'unknown' });
    expect(await impatient.send(attempt)).toMatchObject({ accepted: false });
    await slow.stop();
  });
});
