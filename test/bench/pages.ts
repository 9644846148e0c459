import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { EmbeddedPostgres } from '../../src/dev/embedded-postgres.js';
import { launchChromium } from '../console/chromium.js';
import { measurePages, type PageTimes } from '../console/page-times.js';
import { createDatabases, median, say } from './figures.js';
import { MeasuredProcess } from './measured-process.js';

// Measures how long a reader waits for Swagger UI and an operator for the console, in a real Chromium.

const BARS: Readonly<Record<keyof PageTimes, number>> = { list: 1_500, opening: 800, console: 1_000 };
const NAMES: Readonly<Record<keyof PageTimes, string>> = {
  list: 'Swagger UI shows operations',
  opening: 'an operation is open',
  console: 'the console shows its sign-in',
};

const { values: options } = parseArgs({ options: { rounds: { type: 'string', default: '5' } } });
const temporary = await mkdtemp(join(tmpdir(), 'bench-'));
const postgres = await EmbeddedPostgres.start({ dataDir: join(temporary, 'postgres') });
const [databaseUrl] = await createDatabases(postgres, 'service');
const env = { NODE_ENV: 'development', DATABASE_URL: databaseUrl!, DATA_DIR: temporary, LOG_LEVEL: 'silent' };
const [service, browser] = await Promise.all([
  MeasuredProcess.server(join(import.meta.dirname, '../../dist/src/main.js'), { node: process.execPath, env }),
  launchChromium(),
]);
try {
  const times = await measurePages(browser, service.url, Number(options.rounds));
  for (const name of Object.keys(BARS) as (keyof PageTimes)[]) {
    const middle = Math.round(median([...times[name]]));
    const isMissed = middle > BARS[name];
    const all = times[name].map((each) => Math.round(each)).join(', ');
    say(`${NAMES[name]}: ${middle} ms (${all}), at most ${BARS[name]}${isMissed ? ' MISSED' : ''}`);
    if (isMissed) process.exitCode = 1;
  }
} finally {
  await browser.close();
  await service.stop();
  await postgres.stop();
  await rm(temporary, { recursive: true });
}
