import { randomBytes } from 'node:crypto';
import { newId } from '../../../src/kernel/ids.js';
import type { TransactionSigner } from '../../../src/kernel/chain/payment.js';
import type { WalletType } from '../../../src/kernel/chain/chain-name.js';
import { VaultWalletKeys } from '../../../src/modules/wallet/keys/infrastructure/vault-wallet-keys.js';
import { SECP256K1_BACKENDS } from '../../../src/modules/wallet/signing/infrastructure/secp256k1-signature.js';
import { VaultMessageSigner } from '../../../src/modules/wallet/signing/infrastructure/vault-message-signer.js';
import { EnvelopeVault } from '../../../src/services/crypto/envelope-vault.js';
import { KeyringKeyWrapper } from '../../../src/services/crypto/keyring-key-wrapper.js';
import { Keyring } from '../../../src/services/crypto/keyring.js';

const backend = SECP256K1_BACKENDS[1]!;
const secp256k1 = backend.load().then((library) => ({ name: backend.name, ...library }));

/** The signer of a new wallet, built as in the wallet module: a vault holds its sealed key between signatures. */
export async function payingWallet(walletType: WalletType): Promise<TransactionSigner> {
  const keyring = Keyring.parse(`k1:${randomBytes(32).toString('base64')}`);
  const vault = new EnvelopeVault(new KeyringKeyWrapper(keyring));
  const signer = new VaultMessageSigner(vault, await secp256k1);
  const key = new VaultWalletKeys(vault, await secp256k1).create({
    appId: newId('app'),
    walletId: newId('wallet'),
    userId: newId('user'),
    walletType,
  });
  return { address: key.publicAddress, signTransaction: (unsigned) => signer.signPayment(key, unsigned) };
}
