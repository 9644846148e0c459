import { computeAddress } from 'ethers';
import { keyPair, open } from '../../support/hpke-peer.js';
import { oneOf, type TroubleKind } from './trouble.js';

/** The key of a wallet is exported, and may be used outside the service from then on. Every other wallet keeps its key. */
export const exports = (): TroubleKind<'exports'> => ({
  name: 'exports',
  everyMs: 1_500,
  async make({ client, wallets, keys, random }) {
    const wallet = oneOf(
      wallets.filter((_, index) => index % 2 === 1),
      random,
    );
    if (!wallet) return false;
    const receiver = keyPair();
    const encryption_public_key = receiver.getPublicKey('base64');
    const { encapsulated_key, ciphertext } = await client.insist(
      'POST',
      `/v1/wallets/${wallet.id}/export`,
      wallet.key,
      {
        encryption_public_key,
      },
    );
    const bytes = (text: unknown): Buffer => Buffer.from(String(text), 'base64');
    const key = open(receiver, { enc: bytes(encapsulated_key), ct: bytes(ciphertext) }).toString();
    if (wallet.chain === 'solana') return;
    const secret = key.startsWith('0x') ? key : `0x${key}`;
    if (computeAddress(secret) !== wallet.address) throw new Error(`${wallet.id} was exported with another key.`);
    keys.set(wallet.address, secret);
  },
});
