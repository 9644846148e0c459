// Loaded ahead of the service, takes the signing out of sign_message and leaves all else: key check, read, event, answer.
import { VaultMessageSigner } from '../../dist/src/modules/wallet/infrastructure/vault-message-signer.js';

const signature = `0x${'5a'.repeat(65)}`;
VaultMessageSigner.prototype.signMessage = () => signature;
