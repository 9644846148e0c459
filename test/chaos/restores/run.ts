// npm run chaos:restores -- [orders per chain] [--seed n] [--only base_backup,copied_directory,promotion]. Exits with 1 unless nothing
// was paid twice, completed without a payment, or jammed.
import { parseArgs } from 'node:util';
import { type Return, RETURNS, runRestores } from './scenario.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string', default: '1' }, only: { type: 'string', default: RETURNS.join() } },
});
const report = await runRestores({
  seed: Number(values.seed),
  ordersPerNetwork: Number(positionals[0] ?? 8),
  returns: values.only.split(',') as Return[],
  log: console.log,
});
console.dir(report, { depth: null });
process.exit(report.bad.length > 0 ? 1 : 0);
