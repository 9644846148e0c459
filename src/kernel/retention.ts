export interface EndedRows {
  readonly table: string;
  /** SQL, best a column that follows `app_id` in an index. Null while the row has no end. */
  readonly endedWhen: string;
  /** SQL: other rows are kept. */
  readonly where?: string;
  /** A PostgreSQL interval; nothing by default. */
  readonly after?: string;
  readonly everySeconds?: number;
}

export abstract class Retention {
  abstract register(rows: EndedRows): void;
}
