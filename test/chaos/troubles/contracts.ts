import { EVM_NETWORKS, type EvmName } from '../networks/names.js';
import type { TroubleKind } from './trouble.js';

/** Adds what it receives to a sum in its storage, so a payment costs more gas than one to a plain account. */
const COUNTING = '0x600054340160005500';

/** Payments to a contract. A reorganisation may remove its code again, which changes the gas but not the payment. */
export const contracts = (): TroubleKind<'contracts'> => {
  const asked: Record<EvmName, number> = { ethereum: 0, sidechain: 0 };
  return {
    name: 'contracts',
    networks: EVM_NETWORKS,
    async shape(order, { chains }) {
      const network = chains.evmNamed(order.network);
      if (!network || order.token || asked[network.name]++ % 3 > 0) return null;
      await network.anvil.call('anvil_setCode', order.dest, COUNTING);
      return order;
    },
  };
};
