import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { install } from 'source-map-support';

const BUILD = new URL('..', import.meta.url).href;

/** Node's option `--enable-source-maps` keeps the maps of all libraries: about 20 MB. Here a map is read when a stack trace needs it. */
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
