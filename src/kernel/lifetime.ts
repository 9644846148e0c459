/** Bounds of a duration a caller may choose, in minutes. */
export interface Lifetime {
  readonly min: number;
  readonly max: number;
  /** What holds when the caller says nothing; absent where saying nothing means something else. */
  readonly standard?: number;
}
