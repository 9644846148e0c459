// npm run chaos:events -- [events] [--seed n] [--rounds n] [--short]. Exits with 1 unless every committed event is delivered.
import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { isGreen, runEventChaos, summary } from './events.js';
import { LONG, SHORT } from './settings.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string' }, rounds: { type: 'string' }, short: { type: 'boolean', default: false } },
});
const seed = values.seed === undefined ? randomBytes(4).readUInt32LE() : Number(values.seed);
console.log(`seed ${seed}`);
const report = await runEventChaos({
  ...(values.short ? SHORT : LONG),
  log: console.log,
  seed,
  ...(values.rounds && { rounds: Number(values.rounds) }),
  ...(positionals[0] && { events: Number(positionals[0]) }),
});
console.log(summary(report));
process.exit(isGreen(report) ? 0 : 1);
