// npm run chaos -- [transfers per network] [--seed n] [--runs n] [--only trouble,…] [--without trouble,…] [--short]
// [--nice] [--endpoints 1|2] [--finality depth|tag] [--synchronous-commit on|off] [--unprovable n] [--burn n]. Exits
// with 1 unless every order is paid once, or pending where no proof is possible, and each kind of trouble happened. `--burn n` keeps n processes busy, to
// show with `--runs 30 --short --burn 4` that the result does not depend on the load.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { setPriority } from 'node:os';
import { parseArgs } from 'node:util';
import { runChaos } from './chaos.js';
import { isGreen, summary } from './report.js';
import { type ChaosSettings, LONG, SHORT, type Trouble, TROUBLES } from './settings.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string' },
    runs: { type: 'string', default: '1' },
    only: { type: 'string', default: TROUBLES.join() },
    without: { type: 'string', default: '' },
    short: { type: 'boolean', default: false },
    nice: { type: 'boolean', default: false },
    endpoints: { type: 'string' },
    finality: { type: 'string' },
    'synchronous-commit': { type: 'string' },
    unprovable: { type: 'string' },
    settle: { type: 'string' },
    burn: { type: 'string', default: '0' },
  },
});
if (values.nice) setPriority(19);
const burners = Array.from({ length: Number(values.burn) }, () => spawn(process.execPath, ['-e', 'for (;;);']));
process.once('exit', () => burners.forEach((burner) => burner.kill('SIGKILL')));

const without = values.without.split(',');
const troubles = values.only.split(',').filter((trouble) => !without.includes(trouble));
const unknown = [...troubles, ...without].filter((trouble) => trouble && !TROUBLES.includes(trouble as Trouble));
if (unknown.length > 0) throw new Error(`There is no ${unknown.join()}; there are ${TROUBLES.join()}.`);

let red = 0;
for (let run = 0; run < Number(values.runs); run++) {
  const settings: ChaosSettings = {
    ...(values.short ? SHORT : { ...LONG, log: console.log }),
    ...(positionals[0] && { transfersPerNetwork: Number(positionals[0]) }),
    seed: values.seed === undefined ? randomBytes(4).readUInt32LE() : Number(values.seed) + run,
    troubles: troubles as Trouble[],
    ...(values.endpoints && { endpoints: Number(values.endpoints) as 1 | 2 }),
    ...(values.finality && { finality: values.finality as 'depth' | 'tag' }),
    ...(values['synchronous-commit'] && { synchronousCommit: values['synchronous-commit'] as 'on' | 'off' }),
    ...(values.unprovable && { unprovable: Number(values.unprovable) }),
    ...(values.settle && { settleSeconds: Number(values.settle) }),
  };
  console.log(`seed ${settings.seed}`);
  try {
    const report = await runChaos(settings);
    if (report.unsettled.length > 0) console.dir(report.unsettled.slice(0, 20), { depth: null });
    for (const fault of [...report.budgets.faults, ...report.approvals.faults]) console.log(fault);
    console.log(summary(report));
    if (!isGreen(report)) red += 1;
  } catch (error) {
    console.error(`RED: seed ${settings.seed}`, error);
    red += 1;
  }
}
process.exit(red > 0 ? 1 : 0);
