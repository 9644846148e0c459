import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The directory of package.json, from the sources as well as from the build. */
export const ROOT = findRoot(import.meta.dirname);

function findRoot(directory: string): string {
  return existsSync(join(directory, 'package.json')) ? directory : findRoot(dirname(directory));
}
