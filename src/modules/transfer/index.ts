export { TransferModule } from './transfer.module.js';
export { type ComparedQueue, ReconcileBooks } from './application/reconcile-books.js';
