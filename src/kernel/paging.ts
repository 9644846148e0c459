/** A list is newest first. The row of `startingAfter`, the caller's last item, may be gone. */
export interface PageRequest<Cursor extends string = string> {
  readonly limit: number;
  readonly startingAfter?: Cursor | undefined;
}

export interface Page<T> {
  readonly items: readonly T[];
  readonly hasMore: boolean;
}

/** Rows are read with a limit of one more, which shows whether there are more. */
export function pageFrom<T>(rows: readonly T[], limit: number): Page<T> {
  return { items: rows.slice(0, limit), hasMore: rows.length > limit };
}
