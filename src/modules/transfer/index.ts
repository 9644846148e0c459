export { TransferModule } from './transfer.module.js';
export { BeginNetworkAnew } from './application/begin-network-anew.js';
