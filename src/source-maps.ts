import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { install } from 'source-map-support';

const BUILD = new URL('..', import.meta.url).href;

/**
 * Stack traces name the TypeScript sources. The option `--enable-source-maps` of Node does so too, but it reads the maps of all
 * libraries besides and keeps them: about 20 MB. A map is read here when a stack trace needs it.
 */
install({
  environment: 'node',
  handleUncaughtExceptions: false,
  overrideRetrieveSourceMap: true,
  retrieveSourceMap: (source) => {
    if (!source.startsWith(BUILD)) return null;
    try {
      return { url: source, map: readFileSync(fileURLToPath(`${source}.map`), 'utf8') };
    } catch {
      // The build was replaced, or no file descriptor is left. An error here would hide the one that is described.
      return null;
    }
  },
});
