// npm run chaos [transfers per chain]: the long run. Prints what became of it; anything but all paid once fails.
import startDatabaseServer from '../support/database-server.js';
import stopDatabaseServer from '../support/database-server-stop.js';
import { runChaos, summary } from './chaos.js';

const transfersPerChain = Number(process.argv[2] ?? 500);
await startDatabaseServer();
try {
  const report = await runChaos({ transfersPerChain, walletsPerChain: 8, clients: 12, settleSeconds: 120 });
  console.dir(report, { depth: null });
  console.log(summary(report));
  const { transfers, paidOnce, paidTwice, lost, nonceGaps, paidAgainstTheBooks } = report;
  if (paidOnce !== transfers || paidTwice + lost + nonceGaps + paidAgainstTheBooks > 0) process.exitCode = 1;
} finally {
  await stopDatabaseServer();
}
