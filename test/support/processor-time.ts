/** Milliseconds of processor time that this process spends on `work`: unlike the clock's they do not grow while the machine does other things. */
export async function processorMsOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
