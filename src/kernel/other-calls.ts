/** Resolves when other calls have had a turn of the event loop. Long work waits for it between portions. */
export const otherCalls = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
