const { mkdirSync, readdirSync, readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');

const test = join(__dirname, '../test');
const generated = join(test, '.groups');

/** The test files with this suffix, such as `.e2e-spec.ts`, as Jest's `testMatch`. */
const testFiles = (_project, suffix, isIncluded) => pathsOf(suffix, isIncluded).map((path) => `<rootDir>/test/${path}`);

/**
 * The same, but one generated file for each group of folders, which loads the test files of the folders. To load the service costs
 * seconds of processor time, more than most test files take; a run of all tests does it once for each group.
 */
function groupsOfTestFiles(project, suffix, isIncluded) {
  const groups = new Map();
  for (const path of pathsOf(suffix, isIncluded)) {
    const name = `${groupOf(path, project)}.${project}.cjs`;
    groups.set(name, `${groups.get(name) ?? ''}${suiteOf(path)}`);
  }
  mkdirSync(generated, { recursive: true });
  for (const [name, suites] of groups) writeFileSync(join(generated, name), suites);
  return [...groups.keys()].map((name) => `<rootDir>/test/.groups/${name}`);
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
    edge: /^(?:architecture|bench|cli|client|edge|support|modules\/chain)\//,
    'policy-approvals': /^modules\/policy\/(?:approv|open-approvals|policy-change|held-)/,
    'policy-budgets': /^modules\/policy\//,
    sessions: /^modules\/(?:apps|session)\//,
    'sign-in': /^modules\/(?:magic-link|oauth|otp|passkey|totp)\//,
    users: /^modules\/(?:audit|identity|wallet)\//,
  },
  delayed: { all: /^/ },
  pooled: { all: /^/ },
  cold: { all: /^/ },
};

/** `sign-in` for `modules/otp/otp.e2e-spec.ts`, and `modules-events` for `modules/events/log.e2e-spec.ts`. */
function groupOf(path, project) {
  const parts = path.split('/');
  if (CHANGES_ALL.test(readFileSync(join(test, path), 'utf8'))) return parts.join('-');
  const shared = Object.entries(SHARED[project] ?? {}).find(([, folders]) => folders.test(path));
  return shared?.[0] ?? parts.slice(0, parts[0] === 'modules' ? 2 : 1).join('-');
}

/** In a test file that changes all that is loaded with it: it declares a field, factor or group, or leads all services through a pooler. */
const CHANGES_ALL = /\.declare\(|@RequestedOfApp\(|@OperationGroup\(|through-pooler/;

/** Loads a test file in a suite of its own, so that its hooks and mocks end with it. */
const suiteOf = (path) => `
describe(${JSON.stringify(path)}, () => {
  afterAll(() => {
    jest.useRealTimers();
    jest.restoreAllMocks();
  });
  require(${JSON.stringify(`../${path}`)});
});
`;

module.exports = { groupsOfTestFiles, testFiles };
