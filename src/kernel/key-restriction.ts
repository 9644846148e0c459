import { refusal } from './domain-error.js';
import { unknownId, type UserId, type WalletId } from './ids.js';
import type { ObjectOwner } from './object-owners.js';

/** No scope includes another one. */
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

/** An object must meet both members if both are set. At least one is. */
export interface KeyBinding {
  readonly userId: UserId | null;
  readonly walletIds: readonly WalletId[] | null;
}

export interface KeyRestriction {
  readonly scopes: readonly KeyScope[];
  readonly binding: KeyBinding | null;
  /** CIDR. An empty list permits every network. */
  readonly ipRanges: readonly string[];
  readonly callsPerSecond: number | null;
}

/** An object of no wallet is seen only through its user. */
export function isWithin({ userId, walletIds }: KeyBinding, owner: ObjectOwner): boolean {
  if (owner.walletId === null) return userId !== null && owner.userId === userId;
  return (userId === null || owner.userId === userId) && (walletIds?.includes(owner.walletId) ?? true);
}

export class OutsideBinding extends refusal('forbidden', 'outside_binding', {
  message: 'The key is bound to a user or to wallets, and this call is about something else.',
  help: 'The restricted key is bound to one user or to some wallets. It may not create or sign in another user, and calls about the whole app are closed to it. Use a key that is not bound.',
}) {}

/** A key that is bound to wallets only sees no user; undefined if the key is not bound. */
export function onlyUserOf(binding: KeyBinding | null): UserId | undefined {
  return binding ? (binding.userId ?? unknownId('user')) : undefined;
}

/** Throws `OutsideBinding` also for a key that is bound to wallets only. */
export function requireUserWithin(binding: KeyBinding | null | undefined, userId: UserId | undefined): void {
  if (binding && (userId === undefined || binding.userId !== userId)) throw new OutsideBinding();
}

/** The call would add a wallet to a user, or delete all of them. */
export function requireAllWalletsWithin(binding: KeyBinding | null): void {
  if (binding?.walletIds) throw new OutsideBinding();
}
