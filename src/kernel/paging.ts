/** The requested part of a list, newest first. `startingAfter` is the id of the last item that the caller has; its row may be gone. */
export interface PageRequest<Cursor extends string = string> {
  readonly limit: number;
  readonly startingAfter?: Cursor | undefined;
}

export interface Page<T> {
  readonly items: readonly T[];
  readonly hasMore: boolean;
}

/** The page in rows that were read with a limit of one more, which shows whether there are more. */
export function pageFrom<T>(rows: readonly T[], limit: number): Page<T> {
  return { items: rows.slice(0, limit), hasMore: rows.length > limit };
}
