import { ApiSchema } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, IsArray } from 'class-validator';
import { field } from '../../../edge/http/field.js';
import { Flag, OneOf } from '../../../edge/http/fields.js';
import { parseJsonObject } from '../../../edge/http/json-text.js';
import { ValidationPipe } from '../../../edge/http/validation.pipe.js';
import { EnumValues, Example } from '../../../edge/openapi/plugin-schemas.js';
import { exampleId } from '../../../kernel/examples.js';
import { InvalidRequest } from '../../../kernel/errors.js';
import { UserRow } from '../../identity/index.js';
import type { ImportOptions, ImportResult, RowOfImport } from '../application/import-users.js';

export const MOST_ROWS = 1_000;

const EXAMPLE_ROW = {
  external_id: 'customer-2001',
  first_name: 'Grace',
  emails: [{ email: 'grace.hopper@example.com', verified: true }],
};

/** The rows are documented here and checked one by one, so that a row with faults fails alone. */
const Rows = () =>
  field(
    { type: () => UserRow, isArray: true, minItems: 1, maxItems: MOST_ROWS } as never,
    { example: [EXAMPLE_ROW] },
    () => [
      // class-transformer would copy each row twice.
      Transform(({ obj, key }: { obj: Record<string, unknown>; key: string }) => obj[key]),
      IsArray({ message: 'must be a list' }),
      ArrayMinSize(1, { message: 'must not be empty' }),
      ArrayMaxSize(MOST_ROWS, { message: `must have at most ${MOST_ROWS} items` }),
    ],
  );

export class ImportUsersRequest {
  /** The users to import. */
  @Rows()
  readonly users!: UserRow[];

  /** The outcome of a row that shares a verified address, identity, passkey or wallet with a user of the app. */
  @OneOf(['skip', 'fail'])
  readonly on_conflict: 'skip' | 'fail' = 'fail';

  /** Whether the rows are checked only. */
  @Flag()
  readonly dry_run: boolean = false;

  /** Whether events of the imported users are published. */
  @Flag()
  readonly publish: boolean = false;

  /** Whether users, addresses and credentials keep the ids that the rows state. */
  @Flag()
  readonly keep_ids: boolean = false;

  /** Whether rows are imported whose user was deleted in the last 400 days. */
  @Flag()
  readonly revive: boolean = false;

  static options({ on_conflict, dry_run, publish, keep_ids, revive }: ImportUsersRequest): ImportOptions {
    return { onConflict: on_conflict, isDryRun: dry_run, publishes: publish, keepsIds: keep_ids, revives: revive };
  }

  /** Reads a row when it is asked for. */
  static *rows({ users, keep_ids }: ImportUsersRequest): Generator<RowOfImport> {
    for (const row of users as readonly unknown[]) yield rowIn(row, keep_ids);
  }
}

const pipe = new ValidationPipe();
/** More than any member of a row may have. */
const MOST_ITEMS = 100;

/** Reads a row of a file by the rules for request bodies: the database would refuse its whole batch for a NUL. */
export const rowInFile = (row: object, keepsIds: boolean): RowOfImport =>
  rowIn(row, keepsIds, () => parseJsonObject(JSON.stringify(row)));

/** Reads a row. One that is none has the faults for which it fails. */
function rowIn(value: unknown, keepsIds: boolean, checked = () => value): RowOfImport {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { externalId: null, faults: [{ field: '', rule: 'type', message: 'must be an object' }] };
  // Before any item is read: a row may have as many as the body has room for.
  const long = Object.entries(value).find(([, list]) => Array.isArray(list) && list.length > MOST_ITEMS);
  if (long) {
    const message = `must have at most ${MOST_ITEMS} items`;
    return { externalId: null, faults: [{ field: long[0].slice(0, 64), rule: 'too_many', message }] };
  }
  try {
    const row = pipe.transform(checked(), { type: 'body', metatype: UserRow }) as UserRow;
    return { user: UserRow.importedUser(row, keepsIds), items: UserRow.items(row) };
  } catch (error) {
    if (!(error instanceof InvalidRequest)) throw error;
    const { external_id: externalId } = value as { readonly external_id?: unknown };
    return { externalId: typeof externalId === 'string' ? externalId : null, faults: error.fields! };
  }
}

export class ImportedRowFault {
  /** The member of the row, such as `emails[0].email`. */
  @Example('emails[0].email')
  readonly field!: string;
  /** The rule that the member breaks. */
  @Example('duplicate')
  readonly rule!: string;
  @Example('belongs to another user of the app')
  readonly message!: string;
}

export class ImportedRowResult {
  /** The position of the row in the request, from 0. */
  readonly index!: number;
  /** The `external_id` of the row; empty if it has none. */
  @Example('customer-2001')
  readonly external_id!: string;
  /** `skipped`: the app has a user with the `external_id`, or the row is not to be imported. `failed`: `errors` say why. */
  @EnumValues(['imported', 'skipped', 'failed'])
  @Example('imported')
  readonly outcome!: 'imported' | 'skipped' | 'failed';
  /** The imported user, or the one who has the `external_id`; empty if there is none, and in a dry run. */
  @Example(exampleId('user'))
  readonly user_id!: string;
  /** Why the row was not imported, or which addresses it was imported without. */
  readonly errors!: ImportedRowFault[];
}

@ApiSchema({ description: 'The outcome of each row.' })
export class ImportUsersResponse {
  /** The number of rows that were imported. */
  readonly imported!: number;
  /** The number of rows that were skipped. */
  readonly skipped!: number;
  /** The number of rows that failed. */
  readonly failed!: number;
  /** In the order of the request. */
  readonly results!: ImportedRowResult[];

  static of(results: readonly ImportResult[]): ImportUsersResponse {
    const count = (wanted: ImportResult['outcome']) => results.filter(({ outcome }) => outcome === wanted).length;
    return {
      imported: count('imported'),
      skipped: count('skipped'),
      failed: count('failed'),
      results: results.map(({ externalId, outcome, userId, errors }, index) => ({
        index,
        external_id: externalId ?? '',
        outcome,
        user_id: userId ?? '',
        errors: [...errors],
      })),
    };
  }
}
