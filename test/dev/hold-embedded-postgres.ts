import { EmbeddedPostgres } from '../../src/dev/embedded-postgres.js';

// A process that uses an embedded PostgreSQL until it receives a stop request or is killed. Prints one JSON line.
try {
  const postgres = await EmbeddedPostgres.start({ dataDir: process.argv[2]! });
  console.log(JSON.stringify({ url: postgres.url }));
  process.once('SIGTERM', () => void postgres.stop().then(() => process.exit(0)));
  setInterval(() => {}, 60_000);
} catch (error) {
  console.log(JSON.stringify({ error: (error as Error).message }));
}
