// A wallet for browsers without an extension. The browser keeps its key for this page: nothing of value belongs to it.
import { getBytes, hexlify, randomBytes, Wallet } from 'ethers';
import type { EthereumWallet } from '../../../openapi/client/src/browser.js';

const KEY = 'demo_wallet_key';

export function pageWallet(): EthereumWallet {
  const key = localStorage.getItem(KEY) ?? hexlify(randomBytes(32));
  localStorage.setItem(KEY, key);
  const wallet = new Wallet(key);
  return {
    request: async ({ method, params = [] }) => {
      switch (method) {
        case 'eth_requestAccounts':
          return [wallet.address];
        case 'eth_chainId':
          return '0x7a69';
        case 'personal_sign':
          return wallet.signMessage(getBytes(params[0] as string));
        default:
          throw new Error(`This wallet does not know ${method}.`);
      }
    },
  };
}
