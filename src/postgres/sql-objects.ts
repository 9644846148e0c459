import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

export interface SqlObject {
  readonly name: string;
  readonly text: string;
  readonly hash: string;
}

/** A file in a folder `sql` of the part that owns the function or view, with its name. */
export function sqlObjects(): SqlObject[] {
  const src = join(import.meta.dirname, '..');
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /[\\/]sql[\\/]\w+\.sql$/.test(file),
  );
  // Files of modules may call functions of the layers.
  const layers = files.filter((file) => !file.startsWith('modules')).toSorted();
  return [...layers, ...files.filter((file) => !layers.includes(file)).toSorted()].map((file) => {
    const text = readFileSync(join(src, file), 'utf8');
    return { name: basename(file, '.sql'), text, hash: createHash('sha256').update(text).digest('hex') };
  });
}
