import { randomInt } from 'node:crypto';
import { type AppId, newId, type UserId, type WalletRegistrationId } from '../../../../kernel/ids.js';
import type { ChainName } from '../../../../kernel/chain/chain-name.js';

/** The minutes in which a registration must be signed. */
export const REGISTRATION_MINUTES = 10;

/**
 * Callers who begin for one address and one purpose share the newest registration, once this many were begun in the last
 * `REGISTRATION_MINUTES` and are open: any caller may begin for any address, and must not crowd out the one that its holder signs.
 */
export const MOST_OPEN_REGISTRATIONS = 32;

/**
 * The signed text: the service's challenge as it stands, or a text of the app that contains the service's nonce. Neither is accepted for
 * the other.
 */
export type RegistrationForm = 'challenge' | 'nonce';

export interface RegistrationRequest {
  readonly appId: AppId;
  readonly form: RegistrationForm;
  readonly walletType: ChainName;
  /** The address in canonical form. */
  readonly publicAddress: string;
  /** The user to whom the wallet will belong once it is proved. Until then the registration gives the user nothing. */
  readonly userId: UserId;
  /** Whether the app named the user; otherwise the account waits for the person who proves the address. */
  readonly attaches: boolean;
}

/** A challenge for the holder of an address's key. It proves nothing until it is signed, and can be used once. */
export interface Registration extends RegistrationRequest {
  readonly id: WalletRegistrationId;
  readonly nonce: string;
  /** The text to sign; empty where the app writes its own around the nonce. */
  readonly challenge: string;
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
