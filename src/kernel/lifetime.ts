/** Bounds of a duration that a caller may choose, in minutes. */
export interface Lifetime {
  readonly min: number;
  readonly max: number;
  /** The default; absent where a missing value has another meaning. */
  readonly standard?: number;
}
