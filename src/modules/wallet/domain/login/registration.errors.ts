import { DomainError, refusal } from '../../../../kernel/domain-error.js';
import { loginRefusal } from '../../../../kernel/refusals.js';

export class InvalidPublicAddress extends refusal('invalid', 'invalid_public_address', {
  message: (walletType?: string) => `The text is not an address of a ${walletType ?? 'known'} wallet.`,
  help: 'Ethereum: 0x and 40 digits, checksummed (EIP-55) or all in lower case. Solana: base58 of the 32 bytes of a public key.',
  fields: (message) => [{ field: 'public_address', rule: 'invalid', message }],
}) {}

export class InvalidWalletSignature extends loginRefusal('invalid', 'invalid_wallet_signature', {
  message: 'The signature does not answer an open challenge of this address. Begin again.',
  help: 'The signature is not one by this address on a challenge or nonce of it that is open: begun with this app less than ten minutes ago, and not answered yet. Begin again.',
}) {}

export class InvalidSiweChallenge extends refusal('invalid', 'invalid_siwe_challenge', {
  message: (fault: string) => `The sign-in text ${fault}`,
  help: 'The text must be written as EIP-4361 (or Sign-In With Solana) has it, for the host of an allowed origin of the app, the right chain, and this moment.',
  fields: (message) => [{ field: 'siwe_challenge', rule: 'invalid', message }],
}) {}

export class EthereumNodeUnavailable extends DomainError {
  static override readonly code = 'ethereum_node_unavailable';
  static override readonly kind = 'unavailable';
  static override readonly help =
    'The signature may be one of a contract, and the Ethereum node that could verify it does not answer. Nothing was spent; try again.';
  override readonly retryAfterSeconds = 5;
  constructor(options?: ErrorOptions) {
    super('The Ethereum node does not answer. Try again shortly.', options);
  }
}
