import { startReplica } from './replica.js';

// A process that begins a job and never ends it. Prints the attempt, then waits to be killed.
const [databaseUrl] = process.argv.slice(2);
const { jobs, start } = await startReplica(databaseUrl!);
jobs.handle('hang', async (_, attempt) => {
  console.log(attempt);
  await new Promise((resolve) => setTimeout(resolve, 3_600_000));
});
await start();
