import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './root.js';

interface Build {
  readonly revision: string;
  /** Seconds since the epoch. */
  readonly built_at: number;
}

export const VERSION = (readJson('package.json') as { version: string }).version;

/** The build wrote this file; it is absent where the sources run without a build. */
export const BUILD: Build = existsSync(join(ROOT, 'dist/build.json'))
  ? (readJson('dist/build.json') as Build)
  : { revision: 'unknown', built_at: 0 };

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(join(ROOT, file), 'utf8'));
}
