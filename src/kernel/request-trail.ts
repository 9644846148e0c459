/** Rows that show what one request has done, for `cli trace`. Each statement returns `at`, `app_id`, `id` and `text`. */
export interface RequestTrail {
  /** The word that names each row, such as `event`. */
  readonly kind: string;
  /** SQL for the rows of the request with the id `$1` since the time `$2`. */
  readonly ofRequest?: string;
  /** SQL for the rows in the apps `$1` that have or name one of the ids `$2`, which are in the rows of the request. */
  readonly ofIds?: string;
}
