/** Whether `npm run test:all` runs the file, which it lists in `SAMPLED`: then all cases are run. */
export const areAllCasesRun = 'areAllCasesRun' in globalThis;

/**
 * The cases of a test that repeats itself: a fixed sample in `npm test`, all in `npm run test:all`. The sample must still find the fault
 * that the test exists for.
 */
export function sampled<T>(all: readonly T[], isInSample: (each: T) => boolean): readonly T[] {
  return areAllCasesRun ? all : all.filter(isInSample);
}

const SHARE = 3;

/** Whether the case with this index is among the third that `npm test` runs with this seed. Jest prints the seed, and `--seed=…` repeats it. */
export function isInRotation(index: number): boolean {
  return areAllCasesRun || (index + Math.abs(jest.getSeed())) % SHARE === 0;
}
