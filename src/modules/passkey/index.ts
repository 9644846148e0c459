export { PasskeyModule } from './passkey.module.js';
export { PasskeysFacade } from './application/passkeys.facade.js';
