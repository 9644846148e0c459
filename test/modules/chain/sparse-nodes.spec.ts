import { hexlify, parseEther, Transaction } from 'ethers';
import { ChainUnavailable } from '../../../src/kernel/chain/chain.errors.js';
import { newId } from '../../../src/kernel/ids.js';
import type { TransactionSigner } from '../../../src/kernel/chain/payment.js';
import { EthereumChain } from '../../../src/modules/chain/infrastructure/ethereum/ethereum-chain.js';
import { Anvil } from '../../support/anvil.js';
import { ChainProxy } from '../../support/chain-proxy.js';
import { NATIVE_ASSETS } from '../../support/native-assets.js';
import { payingWallet } from './paying-wallet.js';

const GWEI = 10n ** 9n;
const NO_METHOD =
  '{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"the method does not exist/is not available"}}';

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
  proxy.refuse = () => undefined;
  proxy.answer = () => undefined;
  const ceilings = { maxFeePerGas: 500n * GWEI, maxTip: 50n * GWEI };
  chain = new EthereumChain({ urls: [proxy.url], chainId: anvil.chainId, finality: 0, ceilings });
  wallet = await payingWallet('ethereum');
  await anvil.fund(wallet.address, parseEther('10'));
});

const prepared = () =>
  chain.prepare({
    transferId: newId('transfer'),
    asset: NATIVE_ASSETS.ethereum,
    source: wallet.address,
    dest: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    amount: parseEther('0.1'),
  });
const tip = async () => {
  const { raw } = (await prepared()).sign(wallet, 0);
  return Transaction.from(hexlify(raw)).maxPriorityFeePerGas;
};
/** As nodes and gateways refuse a method that they lack. */
const lacks = (status: number, ...lacking: readonly string[]) => {
  proxy.refuse = (methods) => (lacking.includes(methods[0]!) ? { status, body: NO_METHOD } : undefined);
};

describe('a node without eth_maxPriorityFeePerGas', () => {
  it.each([200, 400, 404, 501])('that says so with status %i has the tip of recent blocks', async (status) => {
    lacks(status, 'eth_maxPriorityFeePerGas');
    const reward = [[`0x${(3n * GWEI).toString(16)}`], ['0x0'], [`0x${(2n * GWEI).toString(16)}`], ['0x1']];
    proxy.answer = (method) => (method === 'eth_feeHistory' ? { oldestBlock: '0x1', reward } : undefined);
    expect(await tip()).toBe(2n * GWEI);
  });

  it('pays no tip where blocks had none', async () => {
    lacks(200, 'eth_maxPriorityFeePerGas');
    proxy.answer = (method) => (method === 'eth_feeHistory' ? { oldestBlock: '0x1', reward: [['0x0']] } : undefined);
    expect(await tip()).toBe(0n);
  });

  it('and without eth_feeHistory prepares no payment', async () => {
    lacks(200, 'eth_maxPriorityFeePerGas', 'eth_feeHistory');
    await expect(prepared()).rejects.toThrow(ChainUnavailable);
  });
});

describe('a node that takes no batches', () => {
  const error = (code: number, message: string) =>
    JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } });
  const refuse = (status: number, body: string) => {
    proxy.refuse = (_, isBatch) => (isBatch ? { status, body } : undefined);
  };
  const fault = async () => {
    await chain.checkEndpoints();
    return chain.endpoints[0]!.fault;
  };

  it.each([
    ['by an error', 200, error(-32_600, 'Invalid Request')],
    ['by the answer to the first call', 200, '{"jsonrpc":"2.0","id":1,"result":"0x1"}'],
    ['by its status', 400, error(-32_600, 'batch requests are not supported')],
    ['by the status of a gateway', 413, '<html></html>'],
  ])('and says so %s is named as the cause', async (_, status, body) => {
    refuse(status, body);
    expect(await fault()).toContain('JSON-RPC batches');
    expect(chain.health).toBe('unavailable');
    await expect(prepared()).rejects.toMatchObject({ cause: { name: 'BatchesRefused' } });
  });

  it.each([
    ['because it limits the rate', 200, error(-32_005, 'request rate limited'), /limits the rate/],
    ['with a status that limits the rate', 429, '', /429/],
    ['because it fails', 503, '', /503/],
    ['because the key is wrong', 401, '', /401/],
  ])('only %s is not', async (_, status, body, cause) => {
    refuse(status, body);
    expect(await fault()).toMatch(cause);
  });
});
