// Which packages of a lock file the project needs without its workspace `test`: those that `npm ci --workspaces=false` installs.
import { existsSync, readFileSync } from 'node:fs';

/** The packages of a lock file by their places, such as `node_modules/a/node_modules/b`. */
export const packagesOf = (file) => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).packages : {});

/** The place from which the package at `from` imports another one. */
function placeOf(packages, from, name) {
  const folders = from.split(/(?:^|\/)(?=node_modules\/)/);
  for (let depth = folders.length; depth >= 0; depth -= 1) {
    const place = [...folders.slice(0, depth), `node_modules/${name}`].filter(Boolean).join('/');
    if (packages[place]) return place;
  }
  return undefined;
}

/** The places of all packages that package.json needs, also through others. */
export function placesOfStart(packages) {
  const places = new Set(['']);
  for (const place of places) {
    const { resolved, link, peerDependenciesMeta: peers, ...needs } = packages[place];
    if (link) places.add(resolved);
    const kinds = ['dependencies', 'optionalDependencies', 'peerDependencies'];
    if (place === '') kinds.push('devDependencies');
    for (const name of kinds.flatMap((kind) => Object.keys(needs[kind] ?? {}))) {
      const needed = placeOf(packages, place, name);
      if (needed && !peers?.[name]?.optional) places.add(needed);
    }
  }
  return places;
}
