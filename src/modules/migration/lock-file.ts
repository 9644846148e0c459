import { randomBytes } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';

/** The locks of this process. Another one with its id may have left a lock behind in an earlier container. */
const ownLocks = new Set<string>();

/** Resolves with the release. Throws while a running process holds the lock; that of a killed one is taken over. */
export async function lockOf(file: string, path = `${file}.lock`): Promise<() => Promise<void>> {
  const own = `${process.pid} ${randomBytes(6).toString('hex')}`;
  for (;;) {
    if (await isCreated(path, own)) {
      ownLocks.add(own);
      return async () => {
        await rm(path, { force: true });
        ownLocks.delete(own);
      };
    }
    const content = await contentOf(path);
    if (content === null) continue;
    const [, holder, name = ''] = /^(\d+)(?: (\w+))?$/.exec(content) ?? [];
    if (ownLocks.has(content) || (Number(holder) !== process.pid && isRunning(Number(holder))))
      throw new Error(
        `Process ${holder} writes ${file}. Name another --report, or remove ${file}.lock if that process is no import.`,
      );
    // Two processes may have read it. The second one must not remove the lock that the first one then makes.
    const release = await lockOf(file, `${path}.${name}`);
    try {
      if ((await contentOf(path)) === content) await rm(path, { force: true });
    } finally {
      await release();
    }
  }
}

async function isCreated(path: string, content: string): Promise<boolean> {
  const draft = `${path}.${content.replace(' ', '.')}`;
  try {
    // A file that another process finds has its content.
    await writeFile(draft, content, { mode: 0o600 });
    await link(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  } finally {
    await rm(draft, { force: true });
  }
}

async function contentOf(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return null;
  }
}

function isRunning(pid: number): boolean {
  try {
    // 0 would be the own group of processes.
    return pid > 0 && process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
