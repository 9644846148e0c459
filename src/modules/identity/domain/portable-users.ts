import type { AppId, IdKind, UserId } from '../../../kernel/ids.js';
import type { DomainEvent } from '../../../kernel/event-types.js';
import { Registry } from '../../../kernel/registry.js';
import type { User } from './user.js';

/** A row that an import adds to a user, in the table of one module. */
export interface PortableRow {
  readonly id: string;
  /** A value that at most one user of the app has, such as a canonical address; null if other rows may have the same. */
  readonly key: string | null;
  /** Since when its user holds it provably; null: an address that is a label only, which yields to a proof, or a pending enrolment. */
  readonly provedAt: Date | null;
  /** The field of the request, for errors: `emails[0].email`. */
  readonly place: string;
  /** The other columns of the table, by the fields that the part lists. */
  readonly values: Readonly<Record<string, unknown>>;
}

/** The user to whom the items belong. */
export interface ReadingContext {
  readonly user: User;
  /** The id that the item states, if the import keeps ids, else a new one. */
  idOf(kind: IdKind, stated: string | undefined): string;
}

/** Reads the items of one user. Throws `InvalidRequest` that names the fields within the row. */
export type PortableReader<Item> = (items: readonly Item[], context: ReadingContext) => readonly PortableRow[];

/** The types of columns that rows are sent as. */
export type ColumnType =
  'text' | 'text[]' | 'timestamptz' | 'boolean' | 'bigint' | 'integer' | 'smallint[]' | 'bytea' | 'jsonb';

/** One member of a row of import and export, which a module keeps in a table of its own, with `app_id`, `id` and `user_id`. */
export interface PortablePart<Item extends object = object> {
  /** The member of a row. The class of its items carries `@PartOfUserRow(field)`. */
  readonly field: string;
  /** Whether the member is one item instead of a list. */
  readonly isSingle?: true;
  readonly table: string;
  /** The fields of `PortableRow.values` with the types of their columns. */
  readonly columns: Readonly<Record<string, ColumnType>>;
  /** SQL for the key of a row `t`, and the condition in SQL that the key is one of `$2::text[]`; absent where keys are null. */
  readonly key?: { readonly sql: string; readonly isAmong: string };
  /** Rows that are labels: the condition in SQL for a row `t`, and the field that gets the time at which they end. */
  readonly labels?: { readonly where: string; readonly end: string };
  /** Called once for each import, outside any transaction. */
  reader(appId: AppId): Promise<PortableReader<Item>>;
  /** The event of a row that an import has added, for an import that publishes events. */
  added?(appId: AppId, userId: UserId, row: PortableRow): DomainEvent | null;
  readonly exported: {
    /** SQL for each field of an item, from a row `t`. */
    readonly fields: Readonly<Record<string, string>>;
    readonly where?: string;
    /** Whether the items are secrets, which an export has only on request. */
    readonly isSecret?: true;
    /** Turns the fields into an item; without it they are one. A field that is null is left out. */
    shown?(appId: AppId, item: Readonly<Record<string, unknown>>): Promise<object>;
  };
}

/** The parts of a user that modules take into an import and an export. */
export class PortableParts {
  private readonly parts = new Registry<PortablePart>('The part of imported users');

  /** Call it in `onModuleInit`. */
  register<Item extends object>(part: PortablePart<Item>): void {
    this.parts.add(part.field, part as unknown as PortablePart);
  }

  get all(): readonly PortablePart[] {
    return [...this.parts.values()];
  }
}

/** A row of the app that has a key or an id of an import. */
export interface Holding {
  readonly key: string | null;
  readonly id: string;
  readonly userId: UserId;
  readonly isLabel: boolean;
}

/** A user of an import, and since when the oldest credential is proved. */
export interface PortableUser {
  readonly user: User;
  readonly firstProvedAt: Date | null;
}

/** A user of an import with the rows of one part. */
export interface OwnedRow {
  readonly userId: UserId;
  readonly row: PortableRow;
  /** Whether a credential of the user is proved, so that labels end. */
  readonly isProved: boolean;
}

/** An exported user with the items of each part by its field. Items whose row is not as the service wrote it are left out. */
export interface ExportedUser {
  readonly user: User;
  /** Whether the row of the user itself is not as the service wrote it. */
  readonly isAltered: boolean;
  readonly items: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;
}

/** Stores and reads many users with few statements. Writes join the caller's transaction. */
export abstract class PortableUsers {
  /** Users of the app with one of the external ids, and all users, deleted ones too, with one of the ids. */
  abstract known(
    appId: AppId,
    externalIds: readonly string[],
    ids: readonly UserId[],
  ): Promise<readonly { readonly id: UserId; readonly externalId: string | null }[]>;

  /** Those of the external ids whose user was deleted in the last 400 days. */
  abstract deleted(appId: AppId, externalIds: readonly string[]): Promise<ReadonlySet<string>>;

  /** Remembers that the user with the external id was deleted. */
  abstract rememberDeleted(appId: AppId, externalId: string): void;

  abstract holdings(
    part: PortablePart,
    appId: AppId,
    keys: readonly string[],
    ids: readonly string[],
  ): Promise<readonly Holding[]>;

  /** Locks the users, who lose labels, in this order until the transaction ends. */
  abstract lock(appId: AppId, userIds: readonly UserId[]): Promise<void>;

  /** Removes the labels with these keys from their users, before what is added next. */
  abstract removeLabels(part: PortablePart, appId: AppId, keys: readonly string[]): void;

  /** Adds the users. False if another transaction has added one of them. */
  abstract add(appId: AppId, users: readonly PortableUser[]): Promise<boolean>;

  /** Adds the rows. False if another transaction has added one with the key or id of one of them. */
  abstract addRows(part: PortablePart, appId: AppId, rows: readonly OwnedRow[]): Promise<boolean>;

  /** Live users in the order of their ids, with the items of the parts. */
  abstract page(
    appId: AppId,
    parts: readonly PortablePart[],
    page: { readonly after: UserId | null; readonly limit: number },
  ): Promise<readonly ExportedUser[]>;
}
