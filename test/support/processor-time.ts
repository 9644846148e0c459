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
