import type { AppId, IdKind, UserId, WalletId } from './ids.js';

/** The wallet is the object itself or the one that it belongs to. */
export interface ObjectOwner {
  readonly userId: UserId;
  readonly walletId: WalletId | null;
}

/** The table has the columns `app_id` and `id`. */
export interface OwnedRows {
  readonly kind: IdKind;
  readonly table: string;
  /** SQL; `user_id` by default. */
  readonly user?: string;
  readonly wallet?: string;
  /** SQL: rows that do not meet it count as unknown. */
  readonly where?: string;
}

/** A bound key sees no object of a kind that no module has registered. */
export abstract class ObjectOwners {
  abstract register(rows: OwnedRows): void;

  /** Null if the app has no such object, or if objects of its kind have no owner. */
  abstract find(appId: AppId, id: string): Promise<ObjectOwner | null>;

  /** Keeps the object from being deleted, or the user from being changed, until the transaction ends. */
  abstract hold(appId: AppId, id: string): Promise<ObjectOwner | null>;
}
