import { EmbeddedPostgres } from '../../../src/platform/database/embedded-postgres.js';

// A process that uses an embedded PostgreSQL until it is told to stop, or is killed. Speaks one JSON line.
const [dataDir] = process.argv.slice(2);
try {
  const begun = performance.now();
  const postgres = await EmbeddedPostgres.start({ dataDir: dataDir!, log: (line) => console.error(line) });
  console.log(JSON.stringify({ url: postgres.url, milliseconds: performance.now() - begun }));
  process.once('SIGTERM', () => void postgres.stop().then(() => process.exit(0)));
  setInterval(() => {}, 60_000);
} catch (error) {
  console.log(JSON.stringify({ error: (error as Error).message }));
}
