import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockOf } from '../../../src/modules/migration/lock-file.js';

const NO_PROCESS = 4_194_305;

let directory: string;
let report: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lock-'));
  report = join(directory, 'report');
});
afterEach(() => rm(directory, { recursive: true }));

/** The releases of those that got the lock. */
async function started(count: number): Promise<(() => Promise<void>)[]> {
  const starts = await Promise.allSettled(Array.from({ length: count }, () => lockOf(report)));
  const refused = starts.flatMap((start) => (start.status === 'rejected' ? [String(start.reason)] : []));
  expect(refused).toEqual(refused.map(() => expect.stringMatching(`Process ${process.pid} writes ${report}`)));
  return starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
}

it.each([
  ['no lock', null],
  ['the lock of a killed process', `${NO_PROCESS} a1b2c3`],
  ['a lock with the id of this process from an earlier container', `${process.pid} a1b2c3`],
  ['the lock of an earlier release', `${NO_PROCESS}`],
])('of simultaneous starts that find %s exactly one writes the report', async (_, left) => {
  for (let round = 0; round < 20; round++) {
    if (left !== null) await writeFile(`${report}.lock`, left);
    const [release, ...others] = await started(8);
    expect(others).toEqual([]);
    expect(await started(1)).toEqual([]);
    await release!();
    expect(await readdir(directory)).toEqual([]);
  }
});

it('a start that was killed while it took a lock over blocks no other one', async () => {
  await writeFile(`${report}.lock`, `${NO_PROCESS} a1b2c3`);
  await writeFile(`${report}.lock.a1b2c3`, `${NO_PROCESS} d4e5f6`);
  expect(await started(8)).toHaveLength(1);
  expect(await readdir(directory)).toEqual(['report.lock']);
});

it('the lock of a running process is refused, and stays', async () => {
  await writeFile(`${report}.lock`, `${process.ppid} a1b2c3`);
  await expect(lockOf(report)).rejects.toThrow(`Process ${process.ppid} writes`);
  expect(await readdir(directory)).toEqual(['report.lock']);
});
