/**
 * Milliseconds of processor time that this process spends on `work`: unlike elapsed time, they do not grow on a busy
 * machine.
 */
export async function processorMsOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** The least of three: the first call also compiles, and a garbage collection falls into one; slow work is slow each time. */
export async function leastProcessorMsOf(work: () => unknown): Promise<number> {
  const times: number[] = [];
  for (let tries = 0; tries < 3; tries++) times.push(await processorMsOf(work));
  return Math.min(...times);
}
