/** Whether `npm run test:all` runs the file, which it lists in `SAMPLED`: then all cases are run. */
export const areAllCasesRun = 'areAllCasesRun' in globalThis;

/**
 * The cases of a test that repeats itself: a fixed sample in `npm run test:whole`, all in `npm run test:all`. The sample must still find
 * the fault that the test exists for.
 */
export function sampled<T>(all: readonly T[], isInSample: (each: T) => boolean): readonly T[] {
  return areAllCasesRun ? all : all.filter(isInSample);
}

// Jest prints the seed, and `--seed=…` repeats a rotation.
const turn = (index: number): number => index + Math.abs(jest.getSeed());

/** Whether the case with this index is among the third that `npm run test:whole` runs with this seed. */
export function isInRotation(index: number): boolean {
  return areAllCasesRun || turn(index) % 3 === 0;
}

/** Which tests run: those of `npm test`, those that it leaves, or both. A file that is named runs all its cases. */
declare const testTier: 'first' | 'rest' | 'whole';

/** Divides generated cases: a tenth for `npm test`, another one with each seed, and nine tenths for the files that it leaves. */
export function tenth<T>(all: readonly T[]): readonly T[] {
  return testTier === 'whole' ? all : all.filter((_, index) => (turn(index) % 10 === 0) === (testTier === 'first'));
}
