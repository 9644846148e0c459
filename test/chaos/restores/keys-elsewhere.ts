import { randomBytes } from 'node:crypto';
import { newAddress } from '../../support/money.js';
import { seal } from '../../support/hpke-peer.js';
import type { Client, Wallet } from '../client.js';

/** Signs a transaction for the owner of the wallet, which is never sent. From then on its key may be used elsewhere. */
export async function signOutside(client: Client, { id, key }: Wallet, chainId: number): Promise<void> {
  const price = { maxFeePerGas: '20000000000', maxPriorityFeePerGas: '1000000000' };
  const eth_transaction = { to: newAddress('ethereum'), value: '1', nonce: 0, gas: 21_000, ...price, chainId };
  await client.insist('POST', `/v1/wallets/${id}/sign_transaction`, key, { eth_transaction });
}

/** A wallet whose key was made elsewhere, of the same app. */
export async function importWallet(client: Client, { appId, key }: Wallet): Promise<Wallet> {
  const user = { email: 'imported@example.com', wallet_type: 'none' };
  const userId = String((await client.insist('POST', '/v1/auth/users/create', key, user))['user_id']);
  const wanted = { user_id: userId, wallet_type: 'ethereum' };
  const { id, encryption_public_key } = await client.insist('POST', '/v1/wallets/import/begin', key, wanted);
  const receiver = Buffer.from(String(encryption_public_key), 'base64');
  const { enc, ct } = seal(receiver, Buffer.from(`0x${randomBytes(32).toString('hex')}`));
  const sealed = { id, encapsulated_key: enc.toString('base64'), ciphertext: ct.toString('base64') };
  const wallet = await client.insist('POST', '/v1/wallets/import', key, sealed);
  return { chain: 'ethereum', id: String(wallet['id']), address: String(wallet['public_address']), appId, userId, key };
}
