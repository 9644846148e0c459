/** Minutes. */
export interface Lifetime {
  readonly min: number;
  readonly max: number;
  /** It is absent where a missing value has another meaning. */
  readonly standard?: number;
}
