export { TransferModule } from './transfer.module.js';
export { type ComparedQueue, ReconcileBooks } from './reconciling/application/reconcile-books.js';
