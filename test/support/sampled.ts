/**
 * The cases of a test that repeats itself: a fixed sample in `npm test`, all in `npm run test:all`, which lists the file in
 * `SAMPLED`. The sample must still find the fault that the test exists for.
 */
export function sampled<T>(all: readonly T[], isInSample: (each: T) => boolean): readonly T[] {
  return 'areAllCasesRun' in globalThis ? all : all.filter(isInSample);
}
