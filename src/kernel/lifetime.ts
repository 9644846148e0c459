/** In minutes. */
export interface Lifetime {
  readonly min: number;
  readonly max: number;
  /** Absent where a missing value has another meaning. */
  readonly standard?: number;
}
