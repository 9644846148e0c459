import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(__dirname, '../../src/services/config');

/** The environment variables that the configuration reads. */
export const settingsRead: ReadonlySet<string> = new Set(
  readdirSync(FOLDER).flatMap((file) =>
    [...readFileSync(join(FOLDER, file), 'utf8').matchAll(/'([A-Z][A-Z_]{3,})'/g)].map(([, name]) => name!),
  ),
);
