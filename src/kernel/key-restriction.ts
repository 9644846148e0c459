import { refusal } from './domain-error.js';
import { unknownId, type UserId, type WalletId } from './ids.js';
import type { ObjectOwner } from './object-owners.js';

/** The scopes of restricted keys. No scope includes another one. */
export const KEY_SCOPES = [
  'users:read',
  'users:write',
  'sessions:read',
  'sessions:write',
  'login:write',
  'wallets:read',
  'wallets:sign',
  'transfers:read',
  'transfers:write',
  'events:read',
  'webhooks:write',
  'policies:read',
  'approvals:vote',
] as const;
export type KeyScope = (typeof KEY_SCOPES)[number];

/** The objects that a key sees and uses. At least one of the members is set; if both are, an object must meet both. */
export interface KeyBinding {
  readonly userId: UserId | null;
  readonly walletIds: readonly WalletId[] | null;
}

/** The limits of a restricted key. */
export interface KeyRestriction {
  readonly scopes: readonly KeyScope[];
  /** Null if the key sees every object of the app. */
  readonly binding: KeyBinding | null;
  /** The networks from which the key may be used, in CIDR notation. If the list is empty, from every network. */
  readonly ipRanges: readonly string[];
  /** The rate limit of the key beside that of the app; null if it has none. */
  readonly callsPerSecond: number | null;
}

/** Whether a key with this binding sees an object of this owner. An object of no wallet is seen only through its user. */
export function isWithin({ userId, walletIds }: KeyBinding, owner: ObjectOwner): boolean {
  if (owner.walletId === null) return userId !== null && owner.userId === userId;
  return (userId === null || owner.userId === userId) && (walletIds?.includes(owner.walletId) ?? true);
}

/** The call would create or change something outside the objects to which the key is bound. */
export class OutsideBinding extends refusal('forbidden', 'outside_binding', {
  message: 'The key is bound to a user or to wallets, and this call is about something else.',
  help: 'The restricted key is bound to one user or to some wallets. It may not create or sign in another user, and calls about the whole app are closed to it. Use a key that is not bound.',
}) {}

/** The only user whom the key sees: no user if it is bound to wallets only. Undefined if the key is not bound. */
export function onlyUserOf(binding: KeyBinding | null): UserId | undefined {
  return binding ? (binding.userId ?? unknownId('user')) : undefined;
}

/** Throws `OutsideBinding` if the key is bound to another user, or to wallets only. */
export function requireUserWithin(binding: KeyBinding | null | undefined, userId: UserId | undefined): void {
  if (binding && (userId === undefined || binding.userId !== userId)) throw new OutsideBinding();
}

/** Throws `OutsideBinding` if the key sees some wallets only: the call would add one to a user, or delete all of them. */
export function requireAllWalletsWithin(binding: KeyBinding | null): void {
  if (binding?.walletIds) throw new OutsideBinding();
}
