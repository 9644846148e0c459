/** A request for a page of a list, newest first. `startingAfter` is the id of the last item the caller has; its row may be gone. */
export interface PageRequest {
  readonly limit: number;
  readonly startingAfter?: string;
}

export interface Page<T> {
  readonly items: readonly T[];
  readonly hasMore: boolean;
}
