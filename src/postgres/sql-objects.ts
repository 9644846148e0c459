import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** A SQL function or view. The text creates or replaces it. */
export interface SqlObject {
  readonly name: string;
  readonly text: string;
  readonly hash: string;
}

/** The functions and views of all parts of the service: each is a file that bears its name, in a folder `sql` of the part that owns it. */
export function sqlObjects(): SqlObject[] {
  const src = join(import.meta.dirname, '..');
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /[\\/]sql[\\/]\w+\.sql$/.test(file),
  );
  // Those of the layers first, which the files of modules may call.
  const layers = files.filter((file) => !file.startsWith('modules')).toSorted();
  return [...layers, ...files.filter((file) => !layers.includes(file)).toSorted()].map((file) => {
    const text = readFileSync(join(src, file), 'utf8');
    return { name: basename(file, '.sql'), text, hash: createHash('sha256').update(text).digest('hex') };
  });
}
