import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { canRun, run, type ServerUser, WAY_OUT } from './postmaster.js';

/** Only the server's user may read the superuser's password. */
export const CLUSTER = 'cluster';
export const PASSWORD = 'password';

/** If root started the service below a directory that only root may enter, a link leads to a home under /var/lib. */
export async function homeFor(user: ServerUser, dataDir: string, log: (line: string) => void): Promise<string> {
  if (user.uid === undefined) return fs.realpath(dataDir);
  await fs.chown(dataDir, user.uid, user.gid);
  const link = join(dataDir, 'elsewhere');
  if (!(await fs.readdir(dataDir)).includes('elsewhere')) {
    if (await canRun('/bin/sh', ['-c', 'test -x "$0"', dataDir], user)) return fs.realpath(dataDir);
    if (existsSync(join(dataDir, CLUSTER)))
      throw new Error(`The server's user (${user.uid}) can no longer enter ${dataDir}, below a closed directory.`);
    await fs.symlink(`/var/lib/embedded-postgres-${randomBytes(4).toString('hex')}`, link).catch(() => {});
  }
  const home = await fs.readlink(link);
  // The server's user may write here, and root makes it the owner of the link's target.
  if (!/^\/var\/lib\/embedded-postgres-\w+$/.test(home)) throw new Error(`${link} does not name a database's home.`);
  if (!existsSync(home)) log(`Only root may enter ${dataDir}, and PostgreSQL cannot run as root. Its home is ${home}.`);
  await fs.mkdir(home, { recursive: true });
  await fs.chown(home, user.uid, user.gid);
  return home;
}

/** A copy in `home` if the user cannot run the platform's package. */
export async function programsFor(user: ServerUser, home: string, log: (line: string) => void): Promise<string> {
  const [installed, programs] = [installedPackage(), 'native/bin'];
  if (await canRun(join(installed, programs, 'initdb'), ['--version'], user)) return join(installed, programs);
  const { version } = JSON.parse(await fs.readFile(join(installed, 'package.json'), 'utf8')) as { version: string };
  const copy = join(home, `postgres-package-${version}`);
  if (!existsSync(copy)) {
    log(`Copying PostgreSQL to ${copy}, because it cannot run where it is installed.`);
    const draft = await fs.mkdtemp(`${copy}-`);
    // The package's script makes links that npm cannot carry. chmod: the install may be read-only.
    const script = 'cp -RP "$0/." "$1" && cd "$1" && chmod -R u+w,a+rX . && "$2" scripts/hydrate-symlinks.js';
    await run('/bin/sh', ['-c', script, installed, draft, process.execPath]);
    await fs.rename(draft, copy).catch(() => fs.rm(draft, { recursive: true })); // Another start may have been faster.
  }
  return join(copy, programs);
}

function installedPackage(): string {
  const platform = `${process.platform}-${process.arch}`;
  try {
    return join(dirname(createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`)), '..');
  } catch {
    throw new Error(`There is no embedded PostgreSQL for ${platform} here.${WAY_OUT}`);
  }
}

/** A database is created in a draft and moved into place, so that no start finds half of one. */
export async function createCluster(programs: string, home: string, user: ServerUser): Promise<void> {
  for (const name of await fs.readdir(home)) {
    const made = await fs.stat(join(home, name)).catch(() => null);
    const isAbandoned = name.startsWith('draft-') && made && made.mtimeMs < Date.now() - 600_000;
    if (isAbandoned) await fs.rm(join(home, name), { recursive: true, force: true });
  }
  const draft = await fs.mkdtemp(join(home, 'draft-'));
  const [cluster, password] = [join(draft, CLUSTER), join(draft, PASSWORD)];
  try {
    await fs.writeFile(password, randomBytes(24).toString('hex'), { mode: 0o600 });
    if (user.uid !== undefined) for (const path of [draft, password]) await fs.chown(path, user.uid, user.gid);
    const access = ['--username=postgres', '--pwfile', password, '--auth=scram-sha-256'];
    const form = ['--encoding=UTF8', '--locale=C', '--no-instructions', '--no-sync'];
    await run(join(programs, 'initdb'), ['-D', cluster, ...access, ...form], user);
    await fs.rename(password, join(cluster, PASSWORD));
    await fs.rename(cluster, join(home, CLUSTER)).catch(() => {});
  } finally {
    await fs.rm(draft, { recursive: true });
  }
}
