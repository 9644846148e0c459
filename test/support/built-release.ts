import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** Another revision in a folder of its own, compiled with the packages of this one. */
export function builtRelease(revision: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'previous-release-'));
  execFileSync('sh', ['-c', `git archive ${revision} | tar -x -C ${folder}`], { cwd: ROOT });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  for (const script of ['.ci/compile.mjs', '.ci/console.mjs']) {
    // A revision from before it had its own compiler.
    if (!existsSync(join(folder, script))) cpSync(join(ROOT, script), join(folder, script));
    execFileSync(process.execPath, [script], { cwd: folder, stdio: 'pipe' });
  }
  return folder;
}
