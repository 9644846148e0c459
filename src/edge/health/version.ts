import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../services/root.js';

/** The release, from package.json. */
export const VERSION = (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }).version;
