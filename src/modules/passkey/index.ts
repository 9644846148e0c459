export { PasskeyModule } from './passkey.module.js';
export { PasskeysFacade } from './application/passkeys.facade.js';
export type { PasskeyId } from './domain/passkey.js';
export type { BegunAuthentication } from './application/sign-in-with-passkey.js';
export { InvalidPasskey, PasskeyNotFound, PasskeysNotConfigured } from './domain/passkey.errors.js';
export { BegunPasskeySignInResponse, PublicKeyCredential } from './http/exported-ceremony.dto.js';
