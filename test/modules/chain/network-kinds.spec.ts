import { hexlify, parseEther, Transaction } from 'ethers';
import { newId } from '../../../src/kernel/ids.js';
import { NATIVE_ASSETS } from '../../support/native-assets.js';
import { FeeTooHigh } from '../../../src/kernel/chain/chain.errors.js';
import type { Payment, PaymentStatus, SignedAttempt, TransactionSigner } from '../../../src/kernel/chain/payment.js';
import { EthereumChain } from '../../../src/modules/chain/infrastructure/ethereum/ethereum-chain.js';
import { Config } from '../../../src/services/config/config.js';
import { RuledNode } from '../../support/ruled-node.js';
import { payingWallet } from './paying-wallet.js';

const GWEI = 10n ** 9n;
const DEST = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const IDS = { arbitrum: 42_161, polygon: 137, bnb: 56 } as const;
type Kind = keyof typeof IDS;
const KINDS = Object.keys(IDS) as Kind[];

const nodes = {} as Record<Kind, RuledNode>;
let wallet: TransactionSigner;

beforeAll(async () => {
  for (const kind of KINDS) nodes[kind] = await RuledNode.start(kind, IDS[kind]);
});
afterAll(async () => {
  for (const kind of KINDS) await nodes[kind].stop();
});
beforeEach(async () => {
  wallet = await payingWallet('ethereum');
  for (const kind of KINDS) await nodes[kind].fund(wallet.address, parseEther('10'));
});

/** The chain as the configuration describes it. */
function chainOf(kind: Kind, fields: object = { finality: 0 }): EthereumChain {
  const entry = { id: `eip155:${IDS[kind]}`, kind, rpc: [nodes[kind].url], ...fields };
  const { ethereum } = Config.read({ NETWORKS: JSON.stringify({ ethereum: entry }) });
  const { rpc: urls, maxFeePerGas, maxTip, ...settings } = ethereum;
  return new EthereumChain({ ...settings, urls, ceilings: { maxFeePerGas, maxTip } });
}
const payment = (): Payment => ({
  transferId: newId('transfer'),
  asset: NATIVE_ASSETS.ethereum,
  source: wallet.address,
  dest: DEST,
  amount: parseEther('0.1'),
});
const read = ({ raw }: SignedAttempt): Transaction => Transaction.from(hexlify(raw));

describe.each(KINDS)('a payment on a network of the kind %s', (kind) => {
  it('costs what the balance loses, and its replacement and its cancellation are accepted too', async () => {
    const [node, chain] = [nodes[kind], chainOf(kind)];
    const of = payment();
    const { feeCap, dataFees, sign } = await chain.prepare(of);
    expect(dataFees).toEqual({ l1: 0n, operator: 0n });
    const first = sign(wallet, 0);
    const second = (await chain.prepareReplacement(of, [first], feeCap))!.sign(wallet, 0);
    expect((await chain.send(second)).accepted).toBe(true);
    const before = await node.balance(wallet.address);
    await node.mine();
    const paid = (await chain.status(wallet.address, [first, second])) as Extract<PaymentStatus, { is: 'final' }>;
    expect(paid).toMatchObject({ is: 'final', hash: second.hash, outcome: 'success' });
    expect(before - (await node.balance(wallet.address))).toBe(of.amount + paid.fee);
    expect(paid.fee).toBeLessThanOrEqual(feeCap);

    const third = (await chain.prepare(of)).sign(wallet, 1);
    expect((await chain.send(third)).accepted).toBe(true);
    const cancellation = (await chain.prepareCancellation(wallet.address, [third], feeCap * 10n))!.sign(wallet, 1);
    expect((await chain.send(cancellation)).accepted).toBe(true);
    await node.mine();
    expect(await chain.status(wallet.address, [third, cancellation])).toMatchObject({
      is: 'final',
      hash: cancellation.hash,
    });
  });

  it('is final by the tag that is configured', async () => {
    const node = nodes[kind];
    const [safe, finalized] = [chainOf(kind, { finality: 'safe' }), chainOf(kind, {})];
    node.lag = { safe: 2, finalized: 5 };
    try {
      const attempt = (await safe.prepare(payment())).sign(wallet, 0);
      await safe.send(attempt);
      const is = async (chain: EthereumChain) => (await chain.status(wallet.address, [attempt])).is;
      await node.mine(2);
      expect([await is(safe), await is(finalized)]).toEqual(['mined', 'mined']);
      await node.mine();
      expect([await is(safe), await is(finalized)]).toEqual(['final', 'mined']);
      await node.mine(3);
      expect([await is(safe), await is(finalized)]).toEqual(['final', 'final']);
    } finally {
      node.lag = { safe: 0, finalized: 0 };
    }
  });

  it('waits while a sequencer accepts it and includes nothing', async () => {
    const [node, chain] = [nodes[kind], chainOf(kind)];
    node.isStalled = true;
    const attempt = (await chain.prepare(payment())).sign(wallet, 0);
    expect((await chain.send(attempt)).accepted).toBe(true);
    await node.mine(50);
    expect(await chain.status(wallet.address, [attempt])).toMatchObject({
      is: 'submitted',
      hash: attempt.hash,
      stuckReason: kind === 'arbitrum' ? 'sequencer_or_node_down' : undefined,
    });
    await node.resume();
    expect(await chain.status(wallet.address, [attempt])).toMatchObject({ is: 'final', outcome: 'success' });
  });
});

describe('the fees of a kind', () => {
  it.each([
    ['polygon', 25n * GWEI],
    ['bnb', GWEI / 20n],
  ] as const)('on %s have a tip of at least the floor, even when nodes suggest 1 wei', async (kind, floor) => {
    expect(read((await chainOf(kind).prepare(payment())).sign(wallet, 0)).maxPriorityFeePerGas).toBe(floor);
    const higher = chainOf(kind, { finality: 0, min_tip: '30' });
    expect(read((await higher.prepare(payment())).sign(wallet, 0)).maxPriorityFeePerGas).toBe(30n * GWEI);
  });

  it('on bnb are the tip alone', async () => {
    const attempt = read((await chainOf('bnb').prepare(payment())).sign(wallet, 0));
    expect(attempt.maxFeePerGas).toBe(attempt.maxPriorityFeePerGas);
  });

  it('on arbitrum have no tip, even when nodes suggest one, and gas of at least a quarter more than the estimate', async () => {
    const node = nodes.arbitrum;
    const chain = chainOf('arbitrum');
    node.suggestedTip = 100n * GWEI;
    node.l1Gas = 2_000_000n;
    try {
      const prepared = await chain.prepare(payment());
      const attempt = prepared.sign(wallet, 0);
      const { maxPriorityFeePerGas, gasLimit } = read(attempt);
      expect(maxPriorityFeePerGas).toBe(0n);
      expect(gasLimit).toBeGreaterThanOrEqual((2_021_000n * 5n) / 4n);
      // The price of the chain below rises within the margin until the sequencer has the transaction.
      node.l1Gas = 2_500_000n;
      expect((await chain.send(attempt)).accepted).toBe(true);
      await node.mine();
      node.l1Gas = 40_000_000n;
      await expect(chain.prepare(payment())).rejects.toThrow(FeeTooHigh);
    } finally {
      node.suggestedTip = 1n;
      node.l1Gas = 0n;
    }
  });

  it('on arbitrum cover an estimate of the simplest gas with the margin too', async () => {
    expect(read((await chainOf('arbitrum').prepare(payment())).sign(wallet, 0)).gasLimit).toBe(31_500n);
  });
});

it('an address of the system of Arbitrum receives no payment', () => {
  const chain = chainOf('arbitrum');
  expect(chain.isReserved('0x00000000000000000000000000000000000A4B05')).toBe(true);
  expect(chain.isReserved(DEST)).toBe(false);
});
