const { appendFileSync, existsSync, readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');

/** Of each test file its cases, seconds and processor seconds, the dearest first, and of PostgreSQL. `npm run test:times` writes it. */
const TABLE = join(__dirname, '../test/times.tsv');
const HEAD = ['file', 'cases', 'seconds', 'processor seconds'];
/** Where the workers of such a run add their lines. */
const { TEST_TIMES: LINES } = process.env;

const seconds = new Map(
  (existsSync(TABLE) ? readFileSync(TABLE, 'utf8').split('\n').slice(1) : []).map((line) => {
    const [file, , elapsed] = line.split('\t');
    return [file, Number(elapsed)];
  }),
);
/** A file that the table lacks is new, and takes as long as others with as many lines. */
const secondsOf = (file) => seconds.get(file) ?? linesOf(file) / (file.endsWith('.e2e-spec.ts') ? 12 : 100);
const linesOf = (file) => readFileSync(join(__dirname, '../test', file), 'utf8').split('\n').length;

/** The test files that a generated file loads. */
const filesOfGroup = (group) =>
  [...readFileSync(group, 'utf8').matchAll(/^describe\("(.+)", /gm)].map(([, path]) => path);
const secondsOfGroup = (group) => filesOfGroup(group).reduce((sum, file) => sum + secondsOf(file), 0);

let planned = [];
/** Notes the groups of this run. */
function plan(groups) {
  planned = groups;
}

/** Seconds until all planned groups have ended, by the speed of those that have. */
function expectedSecondsLeft(ended, elapsed) {
  const expected = (groups) => groups.reduce((sum, group) => sum + secondsOfGroup(group), 0);
  const [all, done] = [expected(planned), expected(ended)];
  return done === 0 ? undefined : (elapsed * (all - done)) / done;
}

/** Processor seconds of a process, and of the processes that it started and that have ended. Only Linux has them. */
function processorSeconds(id = process.pid) {
  const stat = `/proc/${id}/stat`;
  if (!existsSync(stat)) return 0;
  // Behind the name, which is in parentheses, fields 12 to 15 are utime, stime, cutime and cstime, in hundredths of a second.
  const fields = readFileSync(stat, 'utf8').split(') ').at(-1).split(' ');
  return fields.slice(11, 15).reduce((sum, each) => sum + Number(each), 0) / 100;
}

/** Loads a test file, and measures its cases if the table is written. */
function timed(file, load) {
  if (!LINES) return load();
  let elapsed;
  let processor;
  beforeAll(() => {
    [elapsed, processor] = [performance.now(), processorSeconds()];
  });
  load();
  afterAll(() => {
    const spent = [(performance.now() - elapsed) / 1_000, processorSeconds() - processor];
    appendFileSync(LINES, `${[file, ...spent].join('\t')}\n`);
  });
}

/** Writes the table of a run that measured it. Files that run in several projects have the sum of all. */
function writeTable(testResults) {
  if (!LINES) return;
  const rows = new Map();
  const rowOf = (file) => rows.get(file) ?? rows.set(file, [0, 0, 0]).get(file);
  for (const { ancestorTitles } of testResults.flatMap((group) => group.testResults)) rowOf(ancestorTitles[0])[0]++;
  for (const line of readFileSync(LINES, 'utf8').trim().split('\n')) {
    const [file, elapsed, processor] = line.split('\t');
    rowOf(file)[1] += Number(elapsed);
    rowOf(file)[2] += Number(processor);
  }
  if (globalThis.testServer) {
    const { dataDir } = globalThis.testServer;
    const [id] = readFileSync(join(dataDir, 'cluster', 'postmaster.pid'), 'utf8').split('\n');
    rowOf('PostgreSQL')[2] += processorSeconds(id);
  }
  const lines = [...rows]
    .toSorted(([, one], [, other]) => other[2] - one[2])
    .map(([file, [cases, elapsed, processor]]) => [file, cases, elapsed.toFixed(1), processor.toFixed(1)]);
  writeFileSync(TABLE, `${[HEAD, ...lines].map((line) => line.join('\t')).join('\n')}\n`);
}

module.exports = { expectedSecondsLeft, plan, secondsOf, secondsOfGroup, timed, writeTable };
