import { parseEther } from 'ethers';
import { Money, newAddress, type Payer } from '../../../support/money.js';
import { OpNode } from '../../../support/op-node.js';
import { patiently } from '../../../support/eventually.js';

const GWEI = 10n ** 9n;

let node: OpNode;
let money: Money;

beforeAll(async () => {
  node = await OpNode.start({ mines: true });
  money = await Money.start({
    network: { node, kind: 'op', max_l1_fee: '0.001' },
    env: { TRANSFER_CONFIRM_WAIT_SECONDS: '1' },
  });
});
afterAll(async () => {
  await money.stop();
  await node.stop();
});
beforeEach(() => node.price({ baseFee: 20n * GWEI }));

interface Fees {
  readonly network: string;
  readonly l1: string;
  readonly operator: string;
}
const sum = ({ network, l1, operator }: Fees): bigint => parseEther(network) + parseEther(l1) + parseEther(operator);
const paid = async (payer: Payer, fields: object = {}) => {
  const { id } = await money.created(payer, { ...fields });
  const { status, body, text } = await money.confirm(payer, id);
  if (status !== 200) throw new Error(text);
  return body.status === 'completed' ? body : money.become(payer, id, 'completed');
};

describe('a transfer on a network of the OP stack', () => {
  it('quotes the reserve of each fee, and shows afterwards what was paid: to the wei what the wallet lost', async () => {
    const payer = await money.payer('ethereum', 1n);
    const quote = await money.created(payer);
    expect(sum(quote.fees)).toBe(parseEther(quote.total_fees));
    expect(parseEther(quote.fees.l1)).toBeGreaterThanOrEqual((178_184_200_000n * 13n) / 10n);
    let spent = 0n;
    for (const amount of ['0.1', '0.2', '0.000000000000000001']) {
      const before = await money.balance('ethereum', payer.address);
      const transfer = await paid(payer, { source_amount: amount, allow_high_fee: true });
      expect(transfer.fees).toMatchObject({ l1: '0.0000001781842' });
      expect(parseEther(transfer.fees.operator)).toBeGreaterThan(70_000_000n);
      expect(sum(transfer.fees)).toBe(parseEther(transfer.total_fees));
      const lost = before - (await money.balance('ethereum', payer.address));
      expect(lost).toBe(parseEther(amount) + parseEther(transfer.total_fees));
      spent += lost;
    }
    expect(await money.balance('ethereum', payer.address)).toBe(parseEther('1') - spent);
  });

  it('takes the fees out of the amount, and leaves what they did not need of the reserve', async () => {
    const payer = await money.payer('ethereum', 1n);
    const before = await money.created(payer, { source_amount: '1', amount_includes_fees: true });
    expect(parseEther(before.dest_amount) + sum(before.fees)).toBe(parseEther('1'));
    expect((await money.confirm(payer, before.id)).status).toBe(200);
    const { total_fees } = await money.become(payer, before.id, 'completed');
    const left = await money.balance('ethereum', payer.address);
    expect(left).toBe(parseEther('1') - parseEther(before.dest_amount) - parseEther(total_fees));
  });

  it('stays unconfirmed when the L1 fee is above its reserve at the confirmation, and is paid once it has fallen', async () => {
    const payer = await money.payer('ethereum', 1n);
    const { id } = await money.created(payer);
    await node.price({ baseFee: 60n * GWEI });
    const refused = await money.confirm(payer, id);
    expect(refused).toMatchObject({ status: 409, body: { error_type: 'fee_too_high' } });
    expect(await money.get(payer, id)).toMatchObject({ status: 'unconfirmed', attempts: [] });
    await node.price({ baseFee: 30n * GWEI });
    expect((await money.confirm(payer, id)).status).toBe(200);
    await money.become(payer, id, 'completed');
  });

  it('is refused above the ceiling of the operator', async () => {
    const payer = await money.payer('ethereum', 1n);
    await node.price({ baseFee: 200_000n * GWEI });
    const refused = await money.create(payer);
    expect(refused).toMatchObject({ status: 409, body: { error_type: 'fee_too_high' } });
    expect(refused.text).toContain('max_l1_fee');
  });

  it('whose L1 price rises in the queue ends, and jams neither the queue nor the reservation', async () => {
    const payer = await money.payer('ethereum', 1n);
    const before = await money.balance('ethereum', payer.address);
    // Nodes accept the first 16, which fill the queue, and no block includes them.
    await node.setMining(false);
    const fields = { source_amount: '0.01' };
    const ids: string[] = [];
    for (let i = 0; i < 17; i++) ids.push((await money.created(payer, fields)).id);
    const confirmed = await Promise.all(ids.map((id) => patiently(() => money.confirm(payer, id))));
    const queued = confirmed.find(({ body }) => body.stage === 'queued')!.body.id;
    await node.price({ baseFee: 60n * GWEI });
    await node.setMining(true);
    const ended = await money.become(payer, queued, 'failed');
    expect(ended).toMatchObject({ failure: { code: 'fee_too_high', retry_safe: true }, total_fees: '0' });
    expect(ended.fees).toEqual({ network: '0', l1: '0', operator: '0' });
    let spent = 0n;
    for (const id of ids.filter((each) => each !== queued))
      spent += parseEther('0.01') + parseEther((await money.become(payer, id, 'completed')).total_fees);
    expect(before - (await money.balance('ethereum', payer.address))).toBe(spent);
    await paid(payer, fields);
  });

  it('to a predeployed contract is refused', async () => {
    const payer = await money.payer('ethereum', 1n);
    const refused = await money.create(payer, { dest: '0x4200000000000000000000000000000000000011' });
    expect(refused).toMatchObject({ status: 400, body: { error_type: 'invalid_destination' } });
  });
});

describe('a transaction that an app sends itself', () => {
  it('is not signed while its L1 fee is above the ceiling of the operator', async () => {
    const payer = await money.payer('ethereum', 1n);
    const sign = async () => {
      const fees = { maxFeePerGas: String(GWEI), maxPriorityFeePerGas: String(GWEI) };
      const eth_transaction = { to: newAddress('ethereum'), value: '1', nonce: 0, gas: 100_000, ...fees };
      const { status, body } = await money.app.call('POST', `/v1/wallets/${payer.walletId}/sign_transaction`, {
        key: payer.app.secretKey,
        body: { eth_transaction: { ...eth_transaction, chainId: node.chainId } },
      });
      return [status, body.error_type];
    };
    expect(await sign()).toEqual([200, undefined]);
    await node.price({ baseFee: 200_000n * GWEI });
    expect(await sign()).toEqual([409, 'fee_too_high']);
    // No node is asked for what is refused anyway.
    const frozen = await money.app.call('POST', `/management/v1/apps/${payer.app.id}/freeze`, {
      key: money.app.managementKey,
      body: {},
    });
    expect(frozen.status).toBe(200);
    expect(await sign()).toEqual([403, 'app_frozen']);
  });
});

describe('a transfer on Solana', () => {
  it('has a fee of the network alone', async () => {
    const payer = await money.payer('solana');
    const { total_fees, fees } = await paid(payer, { dest: newAddress('solana') });
    expect(fees).toEqual({ network: total_fees, l1: '0', operator: '0' });
  });
});
