export { WalletModule } from './wallet.module.js';
