const { projects, ...shared } = require('./jest.config.cjs');
const { groupsOfTestFiles } = require('./test-groups.cjs');

/** Files that count round trips, and files whose service is a process of its own. */
const NEVER_DELAYED = /^(chaos|cli|dev)\/|\/paused-replica|^(postgres|modules\/apps)\/statements/;

/** All end-to-end files with delayed statements, of which `npm test` runs a sample. */
module.exports = {
  ...shared,
  projects: projects
    .filter(({ displayName }) => displayName === 'delayed')
    .map((project) => ({
      ...project,
      testMatch: groupsOfTestFiles('all-delayed', '.e2e-spec.ts', (path) => !NEVER_DELAYED.test(path)),
    })),
};
