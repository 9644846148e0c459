import { randomInt } from 'node:crypto';
import { type AppId, newId, type UserId, type WalletRegistrationId } from '../../../../kernel/ids.js';
import type { WalletType } from '../../../../kernel/chain/chain-name.js';
import { DomainError, refusal } from '../../../../kernel/domain-error.js';
import { loginRefusal } from '../../../../kernel/refusals.js';

export const REGISTRATION_MINUTES = 10;

/** Beyond this number, callers share the newest registration of an address and purpose: strangers must not crowd out the holder's. */
export const MOST_OPEN_REGISTRATIONS = 32;

/** The signed text is the service's challenge, or a text of the app with the service's nonce. Neither is accepted for the other. */
export type RegistrationForm = 'challenge' | 'nonce';

interface RegistrationRequest {
  readonly appId: AppId;
  readonly form: RegistrationForm;
  readonly walletType: WalletType;
  /** In canonical form. */
  readonly publicAddress: string;
  /** Until the address is proved, the registration gives the user nothing. */
  readonly userId: UserId;
  /** Whether the app named the user; otherwise the account waits for the person who proves the address. */
  readonly attaches: boolean;
}

/** A registration proves nothing until its challenge is signed, and can be used once. */
export interface Registration extends RegistrationRequest {
  readonly id: WalletRegistrationId;
  readonly nonce: string;
  /** The text to sign; empty where the app writes its own around the nonce. */
  readonly challenge: string;
}

export interface KeptRegistration extends Registration {
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

export function newRegistration(request: RegistrationRequest, now: Date): Registration {
  const nonce = newNonce();
  const challenge = request.form === 'challenge' ? challengeOf(request, nonce, now) : '';
  return { ...request, id: newId('walletRegistration'), nonce, challenge };
}

const ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const NONCE_LENGTH = 32;

/** Mints 190 random bits in letters and digits, the only characters that a nonce of EIP-4361 may contain. */
function newNonce(): string {
  return Array.from({ length: NONCE_LENGTH }, () => ALPHANUMERIC[randomInt(ALPHANUMERIC.length)]).join('');
}

/** Shown to people by their wallets, some of which show ASCII only. No transaction begins with these bytes. */
function challengeOf(
  { appId, publicAddress, userId, attaches }: RegistrationRequest,
  nonce: string,
  now: Date,
): string {
  return [
    attaches ? 'Add this wallet to your account.' : 'Sign in with this wallet.',
    '',
    'Signing proves that the address is yours. It moves no funds and costs nothing.',
    '',
    `Address: ${publicAddress}`,
    `App: ${appId}`,
    ...(attaches ? [`User: ${userId}`] : []),
    `Nonce: ${nonce}`,
    `Issued At: ${now.toISOString()}`,
  ].join('\n');
}

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
    'The signature may be one of a contract, and the Ethereum node that could verify it does not answer in time. Nothing was spent; try again, with the `id` of the challenge where the address has many.';
  override readonly retryAfterSeconds = 5;
  constructor(options?: ErrorOptions) {
    super('The Ethereum node does not answer. Try again shortly.', options);
  }
}

/** Each given field must equal that of the registration. */
export interface RegistrationClues {
  readonly id?: WalletRegistrationId;
  readonly publicAddress?: string;
  readonly nonce?: string;
  /** Registrations that attach the wallet to another user come last. */
  readonly userId?: UserId;
}

/** Unspent and not expired, by the database's clock, when it was read. */
export interface OpenRegistration extends Registration {
  readonly createdAt: Date;
  /** The database's clock then. */
  readonly asOf: Date;
}

export abstract class RegistrationRepository {
  /** Also writes the transaction's events. Of `MOST_OPEN_REGISTRATIONS` it returns the newest one instead, valid from now on. */
  abstract add(registration: Registration): Promise<KeptRegistration>;

  /** Registrations of `userId` and of sign-ins first, then the newest. Id or address must be among the clues. */
  abstract findOpen(
    appId: AppId,
    form: RegistrationForm,
    clues: RegistrationClues,
    limit: number,
  ): Promise<readonly OpenRegistration[]>;

  /** Of simultaneous callers, one succeeds. */
  abstract spend(appId: AppId, id: WalletRegistrationId): Promise<boolean>;

  /** The user whom an earlier open registration created for the holder of the address; null if the account is not empty. */
  abstract keptUser(appId: AppId, publicAddress: string): Promise<UserId | null>;

  abstract revokeAllOf(appId: AppId, userId: UserId): Promise<number>;
}
