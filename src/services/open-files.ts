import { readFileSync } from 'node:fs';

const MOST_CONNECTIONS = 10_000;
/** The open files that the process needs beside its connections. */
const OTHER_FILES = 200;
/** Below, the service would have no room for the connections of health. */
const FEWEST_CONNECTIONS = 200;

/** How many files and connections this process may have open; infinite where the system does not say it. Node has raised it to the hard limit. */
export function openFilesLimit(path = '/proc/self/limits'): number {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync(path, 'utf8'))?.[1];
    return soft === undefined ? Infinity : Number(soft);
  } catch {
    return Infinity;
  }
}

/** How many connections the service takes: without a file for each, the process could open none for its own calls either. */
export function mostConnections(openFiles = openFilesLimit()): number {
  return Math.max(FEWEST_CONNECTIONS, Math.min(MOST_CONNECTIONS, openFiles - OTHER_FILES));
}

export function openFilesFault(openFiles = openFilesLimit()): string | null {
  const most = mostConnections(openFiles);
  if (most === MOST_CONNECTIONS) return null;
  return `This process may open ${openFiles} files, so it takes ${most} connections instead of ${MOST_CONNECTIONS}. Raise the limit (ulimit -n).`;
}
