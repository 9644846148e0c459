import { publicRandom } from './random.js';

/** An id is `prefix_` + 26 lower-case base32 characters that sort by time of creation. */
export const ID_PREFIXES = {
  app: 'app',
  key: 'key',
  redirectUrl: 'rurl',
  oauthConnection: 'oauthconn',
  user: 'user',
  email: 'email',
  phoneNumber: 'pn',
  providerIdentity: 'idpuser',
  session: 'sess',
  signingKey: 'jwk',
  wallet: 'wallet',
  walletRegistration: 'walletrr',
  walletImport: 'walletimp',
  transfer: 'transfer',
  batch: 'batch',
  deposit: 'dep',
  totp: 'totp',
  password: 'pwd',
  event: 'evt',
  webhookEndpoint: 'whk',
  webhookDelivery: 'whd',
  auditEntry: 'audit',
  auditKey: 'auditkey',
  refusedCalls: 'refused',
  passkey: 'webauthn',
  message: 'msg',
  job: 'job',
  policy: 'pol',
  policyDecision: 'decision',
  approverGroup: 'agrp',
  approval: 'appr',
  oauthClient: 'client',
  oauthResource: 'resource',
  grant: 'grant',
} as const;

export type IdKind = keyof typeof ID_PREFIXES;

export type Id<K extends IdKind> = string & { readonly __id: K };

export type AppId = Id<'app'>;
export type KeyId = Id<'key'>;
export type RedirectUrlId = Id<'redirectUrl'>;
export type OauthConnectionId = Id<'oauthConnection'>;
export type UserId = Id<'user'>;
export type EmailId = Id<'email'>;
export type PhoneNumberId = Id<'phoneNumber'>;
export type ProviderIdentityId = Id<'providerIdentity'>;
export type SessionId = Id<'session'>;
export type SigningKeyId = Id<'signingKey'>;
export type WalletId = Id<'wallet'>;
export type WalletRegistrationId = Id<'walletRegistration'>;
export type WalletImportId = Id<'walletImport'>;
export type TransferId = Id<'transfer'>;
export type BatchId = Id<'batch'>;
export type DepositId = Id<'deposit'>;
export type TotpId = Id<'totp'>;
export type EventId = Id<'event'>;
export type WebhookEndpointId = Id<'webhookEndpoint'>;
export type WebhookDeliveryId = Id<'webhookDelivery'>;
export type PolicyId = Id<'policy'>;
export type PolicyDecisionId = Id<'policyDecision'>;
export type ApproverGroupId = Id<'approverGroup'>;
export type ApprovalId = Id<'approval'>;
export type OauthClientId = Id<'oauthClient'>;
export type GrantId = Id<'grant'>;
export type OauthResourceId = Id<'oauthResource'>;

/** The characters are in the order in which ids sort. */
export const ID_ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
export const ID_SUFFIX = '[0-9a-hjkmnp-tv-z]{26}';
const SUFFIX = new RegExp(`^${ID_SUFFIX}$`);

/** 48 bits of milliseconds and 80 random bits. The ids of one process sort in the order of their creation. */
export function newId<K extends IdKind>(kind: K): Id<K> {
  last = next();
  return `${ID_PREFIXES[kind]}_${base32(last)}` as Id<K>;
}

/** An SQL statement completes these ids with six hexadecimal digits. They sort between the ids that this process mints before and after. */
export function newIdBlock(kind: IdKind): string {
  const first = ((next() >> BLOCK_BITS) + 1n) << BLOCK_BITS;
  last = first + (1n << BLOCK_BITS) - 1n;
  return `${ID_PREFIXES[kind]}_${base32(first).slice(0, -6)}`;
}

const BLOCK_BITS = 30n;

function next(): bigint {
  const time = BigInt(Date.now()) << 80n;
  // Within one millisecond, or when the clock steps back, an id is the previous one plus a random step.
  return last < time ? time | randomBits(79) : last + 1n + randomBits(32);
}

let last = 0n;

function randomBits(count: number): bigint {
  return BigInt(`0x${publicRandom(Math.ceil(count / 8)).toString('hex')}`) & ((1n << BigInt(count)) - 1n);
}

export function isId<K extends IdKind>(kind: K, text: unknown): text is Id<K> {
  if (typeof text !== 'string') return false;
  const prefix = ID_PREFIXES[kind];
  return text.startsWith(`${prefix}_`) && SUFFIX.test(text.slice(prefix.length + 1));
}

export function kindOf(text: string): IdKind | null {
  const prefix = text.slice(0, text.lastIndexOf('_'));
  const kind = KINDS.get(prefix);
  return kind !== undefined && isId(kind, text) ? kind : null;
}

export function prefixIn(text: unknown): string | null {
  const prefix = typeof text === 'string' ? text.slice(0, text.indexOf('_')) : '';
  return KINDS.has(prefix) ? prefix : null;
}

const KINDS: ReadonlyMap<string, IdKind> = new Map(
  Object.entries(ID_PREFIXES).map(([kind, prefix]) => [prefix, kind as IdKind]),
);

/** No object has it: none was minted before 1970. */
export function unknownId<K extends IdKind>(kind: K): Id<K> {
  return firstIdAt(kind, new Date(0));
}

/** Sorts before every id of the kind that was minted at this time or later. */
export function firstIdAt<K extends IdKind>(kind: K, time: Date): Id<K> {
  return `${ID_PREFIXES[kind]}_${base32(BigInt(Math.max(time.getTime(), 0)) << 80n)}` as Id<K>;
}

export function timeOf(id: string): Date {
  const digits = id.slice(id.lastIndexOf('_') + 1);
  let value = 0n;
  for (const digit of digits) value = (value << 5n) | BigInt(ID_ALPHABET.indexOf(digit));
  return new Date(Number(value >> 80n));
}

/** By the digits of JavaScript, which has other letters. */
const CHARACTERS: ReadonlyMap<string, string> = new Map(
  [...ID_ALPHABET].map((character, digit) => [digit.toString(32), character]),
);

/** Crockford's alphabet has no look-alike characters and no case. */
function base32(number: bigint): string {
  let text = '';
  for (const digit of number.toString(32).padStart(26, '0')) text += CHARACTERS.get(digit)!;
  return text;
}
