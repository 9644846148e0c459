// Loaded before the service: removes the signature from sign_message and keeps the rest: key check, read, event, response.
import { VaultMessageSigner } from '../../dist/src/modules/wallet/signing/infrastructure/vault-message-signer.js';

const signature = `0x${'5a'.repeat(65)}`;
VaultMessageSigner.prototype.signMessage = () => signature;
