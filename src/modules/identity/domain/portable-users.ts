import type { AppId, IdKind, UserId } from '../../../kernel/ids.js';
import type { DomainEvent } from '../../../kernel/event-types.js';
import { Registry } from '../../../kernel/registry.js';
import type { User } from './user.js';

/** A row that an import adds to a user, in the table of one module. */
export interface PortableRow {
  readonly id: string;
  /** A value that at most one user of the app has, such as a canonical address; null if other rows may have the same. */
  readonly key: string | null;
  /** Null: an address that is a label only, which yields to a proof, or a pending enrolment. */
  readonly provedAt: Date | null;
  /** The field of the request, for errors: `emails[0].email`. */
  readonly place: string;
  readonly values: Readonly<Record<string, unknown>>;
}

export interface ReadingContext {
  readonly user: User;
  /** The id that the item states, if the import keeps ids, else a new one. */
  idOf(kind: IdKind, stated: string | undefined): string;
}

/** Throws `InvalidRequest`, which names the fields within the row. */
export type PortableReader<Item> = (items: readonly Item[], context: ReadingContext) => readonly PortableRow[];

export type ColumnType =
  'text' | 'text[]' | 'timestamptz' | 'boolean' | 'bigint' | 'integer' | 'smallint[]' | 'bytea' | 'jsonb';

/** A member of rows of import and export. Its module keeps it in a table of its own, with `app_id`, `id` and `user_id`. */
export interface PortablePart<Item extends object = object> {
  /** The class of the items carries `@PartOfUserRow(field)`. */
  readonly field: string;
  readonly isSingle?: true;
  readonly table: string;
  readonly columns: Readonly<Record<string, ColumnType>>;
  /** SQL for the key of a row `t`, and the condition in SQL that the key is one of `$2::text[]`; absent where keys are null. */
  readonly key?: { readonly sql: string; readonly isAmong: string };
  /** Rows that are labels: the condition in SQL for a row `t`, and the field that gets the time at which they end. */
  readonly labels?: { readonly where: string; readonly end: string };
  /** Called once for each import, outside any transaction. */
  reader(appId: AppId): Promise<PortableReader<Item>>;
  added?(appId: AppId, userId: UserId, row: PortableRow): DomainEvent | null;
  readonly exported: {
    /** SQL for each field of an item, from a row `t`. */
    readonly fields: Readonly<Record<string, string>>;
    readonly where?: string;
    /** An export has secrets only on request. */
    readonly isSecret?: true;
    /** Turns the fields into an item; without it they are one. A field that is null is left out. */
    shown?(appId: AppId, item: Readonly<Record<string, unknown>>): Promise<object>;
  };
}

export class PortableParts {
  private readonly parts = new Registry<PortablePart>('The part of imported users');

  register<Item extends object>(part: PortablePart<Item>): void {
    this.parts.add(part.field, part as unknown as PortablePart);
  }

  get all(): readonly PortablePart[] {
    return [...this.parts.values()];
  }
}

export interface Holding {
  readonly key: string | null;
  readonly id: string;
  readonly userId: UserId;
  readonly isLabel: boolean;
}

export interface PortableUser {
  readonly user: User;
  readonly firstProvedAt: Date | null;
}

export interface OwnedRow {
  readonly userId: UserId;
  readonly row: PortableRow;
  /** Whether a credential of the user is proved, so that labels end. */
  readonly isProved: boolean;
}

/** Items whose row is not as the service wrote it are left out. */
export interface ExportedUser {
  readonly user: User;
  readonly isAltered: boolean;
  readonly items: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;
}

/** Few statements store and read many users. Writes join the caller's transaction. */
export abstract class PortableUsers {
  /** Users of the app with one of the external ids, and all users, also deleted ones, with one of the ids. */
  abstract known(
    appId: AppId,
    externalIds: readonly string[],
    ids: readonly UserId[],
  ): Promise<readonly { readonly id: UserId; readonly externalId: string | null }[]>;

  /** Those of the external ids whose user was deleted in the last 400 days. */
  abstract deleted(appId: AppId, externalIds: readonly string[]): Promise<ReadonlySet<string>>;

  abstract rememberDeleted(appId: AppId, externalId: string): void;

  abstract holdings(
    part: PortablePart,
    appId: AppId,
    keys: readonly string[],
    ids: readonly string[],
  ): Promise<readonly Holding[]>;

  /** Locks the users, who lose labels, in this order. */
  abstract lock(appId: AppId, userIds: readonly UserId[]): Promise<void>;

  abstract removeLabels(part: PortablePart, appId: AppId, keys: readonly string[]): void;

  /** False if another transaction has added one of the users. */
  abstract add(appId: AppId, users: readonly PortableUser[]): Promise<boolean>;

  /** False if another transaction has added a row with the key or id of one of them. */
  abstract addRows(part: PortablePart, appId: AppId, rows: readonly OwnedRow[]): Promise<boolean>;

  abstract page(
    appId: AppId,
    parts: readonly PortablePart[],
    page: { readonly after: UserId | null; readonly limit: number },
  ): Promise<readonly ExportedUser[]>;
}
