/** Rows that are removed some time after they ended. */
export interface EndedRows {
  readonly table: string;
  /** SQL for the time at which a row ends, best a column that follows `app_id` in an index. Null while it has no end. */
  readonly endedWhen: string;
  /** A condition in SQL: rows that do not meet it are kept. */
  readonly where?: string;
  /** How long a row is kept after its end, as a PostgreSQL interval. Nothing by default. */
  readonly after?: string;
  /** How often ended rows are removed. An hour by default. */
  readonly everySeconds?: number;
}

/** Removes ended rows in the background. A module registers its tables when it starts. */
export abstract class Retention {
  abstract register(rows: EndedRows): void;
}
