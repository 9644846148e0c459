import { readFileSync } from 'node:fs';

/**
 * Milliseconds of processor time that the thread of the event loop spends on `work`: unlike elapsed time, they do not grow on a busy
 * machine. V8's own threads do not count: for seconds they mark the garbage of all tests of the process, beside any call.
 */
export async function processorMsOf(work: () => unknown): Promise<number> {
  const before = threadMs();
  await work();
  return threadMs() - before;
}

/** The least of three: the first call also compiles, and a garbage collection falls into one; slow work is slow each time. */
export async function leastProcessorMsOf(work: () => unknown): Promise<number> {
  const times: number[] = [];
  for (let tries = 0; tries < 3; tries++) times.push(await processorMsOf(work));
  return Math.min(...times);
}

/** Node 20 does not know it for one thread. Linux does, in nanoseconds; elsewhere all threads count. */
function threadMs(): number {
  if (process.platform === 'linux')
    return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e6;
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
