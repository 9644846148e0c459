import { readFileSync } from 'node:fs';

/**
 * How much work a call is, in units: the processor time of the thread of the event loop, divided by that of a fixed piece of work beside
 * it. One unit takes about a millisecond on a usual machine, and longer on a slower or busy one, as the call does. V8's own threads do
 * not count: for seconds they mark the garbage of all tests of the process, beside any call.
 */
export async function unitsOf(work: () => unknown, isUnitFresh = false): Promise<number> {
  const before = threadMs();
  await work();
  const ms = threadMs() - before;
  // The unit of a moment ago may be of a moment in which the other half of the core was idle.
  if (isUnitFresh) last = undefined;
  return ms / unitMs();
}

/** The least of three: the first call also compiles, and a garbage collection falls into one; slow work is slow each time. */
export async function leastUnitsOf(work: () => unknown): Promise<number> {
  const units: number[] = [];
  for (let tries = 0; tries < 3; tries++) units.push(await unitsOf(work, tries > 0));
  return Math.min(...units);
}

export const UNIT_TEXT = JSON.stringify(
  Array.from({ length: 1_000 }, (_, index) => ({
    id: `user_${index}`,
    names: ['Ann', 'Bo'],
    at: 1_764_000_000 + index,
  })),
);

/** Reads, joins, searches and writes text, which is what the code of a request does. Chromium evaluates its source too. */
export function oneUnit(text: string): number {
  const names = new Map<string, string>();
  for (const row of JSON.parse(text) as { id: string; names: string[]; at: number }[])
    names.set(row.id, `${row.at}:${row.names.join('')}`.replace(/[^0-9]/g, ''));
  return JSON.stringify([...names]).length;
}

/** The kernel counts in steps of 4 ms, so 40 units are measured together. */
const TOGETHER = 40;
/** These are compiled, and are not measured. */
const WARM_UP = 120;
const VALID_FOR_MS = 1_000;
let last: { readonly ms: number; readonly at: number } | undefined;
let isWarm = false;

/** Milliseconds of processor time that one unit takes now. */
function unitMs(): number {
  if (last && performance.now() - last.at < VALID_FOR_MS) return last.ms;
  if (!isWarm) repeat(WARM_UP);
  isWarm = true;
  const before = threadMs();
  repeat(TOGETHER);
  last = { ms: (threadMs() - before) / TOGETHER, at: performance.now() };
  return last.ms;
}

function repeat(times: number): void {
  for (let count = 0; count < times; count++) oneUnit(UNIT_TEXT);
}

/** Node 20 does not know it for one thread. Linux does, in nanoseconds; elsewhere all threads count. */
function threadMs(): number {
  if (process.platform === 'linux')
    return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e6;
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
