/** The arguments of `database.write` for a statement, out of its parameters by name. */
type Named<P> = (parameters: P) => [sql: string, values: unknown[]];

/**
 * SQL whose parameters have names, `$userId` instead of `$3`, for statements of more than six. Send it with
 * `database.write(...ADD(user))`. Throws if a parameter is undefined, which pg would send as null.
 */
export function named<P extends object>(sql: string): Named<P> {
  const names: string[] = [];
  const text = sql.replaceAll(/\$([a-z]\w*)/gi, (_, name: string) => {
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}`;
  });
  return (parameters) => [text, names.map((name) => valueOf(parameters as Record<string, unknown>, name))];
}

function valueOf(parameters: Record<string, unknown>, name: string): unknown {
  const value = parameters[name];
  if (value === undefined) throw new Error(`The statement needs a value for $${name}. Pass null for SQL null.`);
  return value;
}

/** Columns of a table, as parts of statements that `named` makes. */
export interface Columns {
  /** The column names for INSERT: `app_id, first_name`. */
  readonly names: string;
  /** The values in the order of `names`: `$appId, $firstName`. */
  readonly values: string;
  /** The assignments for UPDATE: `first_name = $firstName`. */
  readonly assignments: string;
  /** The columns for SELECT: `u.first_name as "firstName"`. */
  of(alias: string): string;
}

/** The columns of these fields. The name of a column is that of its field in snake case. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- The compiler checks by T that each field exists.
export function columnsOf<T>(fields: readonly (keyof T & string)[]): Columns {
  const columns = fields.map((field) => ({
    field,
    name: field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  }));
  return {
    names: columns.map(({ name }) => name).join(', '),
    values: columns.map(({ field }) => `$${field}`).join(', '),
    assignments: columns.map(({ field, name }) => `${name} = $${field}`).join(', '),
    of: (alias) => columns.map(({ field, name }) => `${alias}.${name} as "${field}"`).join(', '),
  };
}
