import { lazily } from '../../../console/lazy.js';
import type { ConsolePage } from '../../../console/page.js';

/** This module shows the wallet because the page lists transfers and deposits, which the module of wallets does not know. */
export const page: readonly ConsolePage[] = [
  { path: 'transfers/:id', view: lazily(async () => (await import('./views/transfer.js')).TransferPage) },
  { path: 'wallets/:id', view: lazily(async () => (await import('./views/wallet.js')).WalletPage) },
  { path: 'deposits/:id', view: lazily(async () => (await import('./views/deposits.js')).DepositsPage) },
];
