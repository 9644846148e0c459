import type { Chain } from '../../../kernel/chain/chain.js';
import { NetworkChanged } from '../../../kernel/chain/chain.errors.js';
import type { Transfer } from '../domain/transfer.js';

/** Throws `NetworkChanged` unless the service is on the network of the transfer: a nonce of one network is none of another. */
export async function assertOnNetwork(transfer: Pick<Transfer, 'network'>, chain: Chain): Promise<void> {
  const network = await chain.network();
  if (network !== transfer.network) throw new NetworkChanged(transfer.network, network);
}
