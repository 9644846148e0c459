import type { TroubleKind } from './trouble.js';

/** Adds what it receives to a sum in its storage, so a payment costs more gas than one to a plain account. */
const COUNTING = '0x600054340160005500';

/** Payments to a contract. A reorganisation may remove its code again, which changes the gas but not the payment. */
export const contracts = (): TroubleKind<'contracts'> => {
  let asked = 0;
  return {
    name: 'contracts',
    async shape(order, { chains }) {
      if (order.wallet.chain !== 'ethereum' || order.token || asked++ % 3 > 0) return null;
      await chains.anvil.call('anvil_setCode', order.dest, COUNTING);
      return order;
    },
  };
};
