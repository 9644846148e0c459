export { TotpModule } from './totp.module.js';
