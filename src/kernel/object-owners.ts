import type { AppId, IdKind, UserId, WalletId } from './ids.js';

/** The user of an object, and its wallet if it is one or belongs to one. */
export interface ObjectOwner {
  readonly userId: UserId;
  readonly walletId: WalletId | null;
}

/** The rows of one kind of object, which have the columns `app_id` and `id`. */
export interface OwnedRows {
  readonly kind: IdKind;
  readonly table: string;
  /** The SQL for the user; `user_id` by default. */
  readonly user?: string;
  /** The SQL for the wallet, for objects that belong to one. */
  readonly wallet?: string;
  /** A condition in SQL: rows that do not meet it count as unknown. */
  readonly where?: string;
}

/**
 * The owners of objects, by which a bound key is kept to its own. A module registers each kind of object that belongs to a user when it
 * starts. A bound key sees no object of a kind that is not registered.
 */
export abstract class ObjectOwners {
  abstract register(rows: OwnedRows): void;

  /** The owner of the object with this id; null if the app has no such object, or if objects of its kind have no owner. */
  abstract find(appId: AppId, id: string): Promise<ObjectOwner | null>;

  /** Like `find`, and keeps the object from being deleted, or the user from being changed, until the transaction ends. */
  abstract hold(appId: AppId, id: string): Promise<ObjectOwner | null>;
}
