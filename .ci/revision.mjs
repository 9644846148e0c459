// Writes dist/build.json, which /version and the metric build_info show: the time of the build, and the revision from git or from the
// variable REVISION, which a build without the repository needs.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');

function revisionOfGit() {
  // The ceiling keeps git out of a repository that only contains this directory.
  const env = { ...process.env, GIT_CEILING_DIRECTORIES: dirname(root) };
  const args = ['describe', '--always', '--dirty', '--abbrev=40', '--exclude=*'];
  try {
    return execFileSync('git', args, { cwd: root, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return '';
  }
}

const revision = revisionOfGit() || process.env.REVISION || 'unknown';
const built_at = Math.floor(Date.now() / 1000);
writeFileSync(`${root}/dist/build.json`, `${JSON.stringify({ revision, built_at })}\n`);
