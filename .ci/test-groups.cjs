const { mkdirSync, readdirSync, readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { isInTier } = require('./test-tiers.cjs');
const { secondsOf } = require('./test-times.cjs');

const test = join(__dirname, '../test');
const generated = join(test, '.groups');

/** The test files with this suffix, such as `.e2e-spec.ts`, as Jest's `testMatch`. */
const testFiles = (_project, suffix, isIncluded) => pathsOf(suffix, isIncluded).map((path) => `<rootDir>/test/${path}`);

/**
 * The files of a tier, as one generated file for each group of them. To load the service costs seconds of processor time, more than
 * most test files take; a run does it once for each group.
 */
const groupsOfTestFiles =
  (tier) =>
  (project, suffix, isIncluded = () => true) => {
    const paths = pathsOf(suffix, (path) => isIncluded(path) && isInTier(tier, path, project));
    const named = new Map();
    for (const path of paths) {
      const name = groupOf(path, project, tier);
      named.set(name, [...(named.get(name) ?? []), path]);
    }
    mkdirSync(generated, { recursive: true });
    return [...named].flatMap(([name, files]) =>
      partsOf(files, tier).map((part, index) => {
        const file = `${name}${index === 0 ? '' : `-${index + 1}`}.${project}.cjs`;
        writeFileSync(join(generated, file), part.map(suiteOf).join(''));
        return `<rootDir>/test/.groups/${file}`;
      }),
    );
  };

/** A longer group would be the last to end, alone. */
const LONGEST_SECONDS = { first: 240, rest: 480, whole: 480 };

/** Parts of a group that take about the same time and are not too long. */
function partsOf(files, tier) {
  const all = files.reduce((sum, file) => sum + secondsOf(file), 0);
  const parts = Array.from({ length: Math.max(1, Math.ceil(all / LONGEST_SECONDS[tier])) }, () => ({
    files: [],
    seconds: 0,
  }));
  for (const file of files.toSorted((one, other) => secondsOf(other) - secondsOf(one))) {
    const shortest = parts.reduce((one, other) => (other.seconds < one.seconds ? other : one));
    shortest.files.push(file);
    shortest.seconds += secondsOf(file);
  }
  return parts.map((part) => part.files);
}

const pathsOf = (suffix, isIncluded = () => true) =>
  readdirSync(test, { recursive: true })
    .filter((path) => path.endsWith(suffix) && isIncluded(path))
    .toSorted((a, b) => (a < b ? -1 : 1));

/**
 * The groups of several folders, by project. Each has 17 end-to-end files at most, because the services of a group stay in memory
 * until it ends, and because the worker of a long group is the last to finish.
 */
const SHARED = {
  unit: {
    modules: /^modules\/(?!chain\/)/,
    rest: /^(?!modules|architecture)/,
  },
  e2e: {
    dev: /^(?:demo|dev)\//,
    edge: /^(?:architecture|bench|cli|client|edge|support|modules\/chain)\//,
    events: /^modules\/(?:events|migration|webhooks)\//,
    'policy-approvals': /^modules\/policy\/approvals\//,
    'policy-budgets': /^modules\/policy\//,
    sessions: /^modules\/(?:apps|session)\//,
    'sign-in': /^(?:journeys|modules\/(?:magic-link|oauth|otp|passkey|totp))\//,
    users: /^modules\/(?:audit|identity|wallet)\//,
  },
  delayed: { all: /^/ },
  pooled: { all: /^/ },
  cold: { all: /^/ },
};

/** `sign-in` for `modules/otp/otp.e2e-spec.ts`, and `modules-authorization` for `modules/authorization/programs.e2e-spec.ts`. */
function groupOf(path, project, tier) {
  if (isAlone(path)) return path.replaceAll('/', '-');
  if (project === 'e2e' && tier === 'first') return 'calls';
  const parts = path.split('/');
  const shared = Object.entries(SHARED[project] ?? {}).find(([, folders]) => folders.test(path));
  return shared?.[0] ?? parts.slice(0, parts[0] === 'modules' ? 2 : 1).join('-');
}

/** A test file that changes all that is loaded with it: it declares a field, factor or group, or leads all services through a pooler. */
const isAlone = (path) =>
  /\.declare\(|@RequestedOfApp\(|@OperationGroup\(|through-pooler/.test(readFileSync(join(test, path), 'utf8'));

/** Loads a test file in a suite of its own, so that its hooks and mocks end with it. */
const suiteOf = (path) => `
describe(${JSON.stringify(path)}, () => {
  afterAll(() => {
    jest.useRealTimers();
    jest.restoreAllMocks();
  });
  require('../../.ci/test-times.cjs').timed(${JSON.stringify(path)}, () => require(${JSON.stringify(`../${path}`)}));
});
`;

module.exports = { groupsOfTestFiles, testFiles };
