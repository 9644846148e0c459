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

/** What is signed: our challenge as it stands, or a text of the app's that holds our nonce. Neither will do for the other. */
export type RegistrationForm = 'challenge' | 'nonce';

export interface RegistrationRequest {
  readonly appId: AppId;
  readonly form: RegistrationForm;
  readonly walletType: ChainName;
  /** In canonical form. */
  readonly publicAddress: string;
  /** Whom the wallet is to belong to once it is proved. Until then it gives them nothing. */
  readonly userId: UserId;
  /** Whether the app named the user; otherwise the account waits for the person who proves the address. */
  readonly attaches: boolean;
}

/** A challenge for the holder of an address's key. It proves nothing until it is answered, and can be answered once. */
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

/** 190 random bits in letters and digits: nothing else may stand in a nonce of EIP-4361. */
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
