// Loaded before the service: replaces the Ethereum node by a stub that answers at once and mines every transaction when it
// is sent, as final. Only the service is left to measure.
import { keccak256 } from 'ethers';
import { EthereumRpc } from '../../dist/src/modules/chain/infrastructure/ethereum/ethereum-rpc.js';

const mined = new Set();
/** The transactions that the newest block lists: those sent or asked for last, so that a transfer being observed finds its own. */
let newest = [];
const list = (hash) => {
  if (!newest.includes(hash)) newest = [hash, ...newest.slice(0, 63)];
};
const block = {
  number: '0x3e8',
  hash: `0x${'b1'.repeat(32)}`,
  parentHash: `0x${'b0'.repeat(32)}`,
  baseFeePerGas: '0x3b9aca00',
  get transactions() {
    return newest;
  },
};

const answers = {
  eth_chainId: () => '0x7a69',
  eth_blockNumber: () => block.number,
  eth_getBlockByNumber: () => block,
  // The service counts a sender's nonces itself after the first payment.
  eth_getTransactionCount: () => '0x0',
  eth_getBalance: () => '0xd3c21bcecceda1000000',
  eth_maxPriorityFeePerGas: () => '0x3b9aca00',
  eth_getTransactionReceipt([hash]) {
    if (!mined.has(hash)) return null;
    list(hash);
    return {
      transactionHash: hash,
      blockNumber: block.number,
      blockHash: block.hash,
      status: '0x1',
      gasUsed: '0x5208',
      effectiveGasPrice: '0x77359400',
      logs: [],
    };
  },
  eth_getTransactionByHash: () => null,
  eth_sendRawTransaction([raw]) {
    const hash = keccak256(raw);
    mined.add(hash);
    list(hash);
    return hash;
  },
  eth_estimateGas: () => '0x5208',
  eth_feeHistory: () => ({ reward: [['0x3b9aca00']] }),
};

EthereumRpc.prototype.send = async (calls) => calls.map(([method, params]) => answers[method](params));
