export { TransferModule } from './transfer.module.js';
export { BeginNetworkAnew } from './application/begin-network-anew.js';
export { type ComparedQueue, ReconcileBooks } from './application/reconcile-books.js';
