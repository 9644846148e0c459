const { projects, ...shared } = require('./jest.config.cjs');
const { groupsOfTestFiles } = require('./test-groups.cjs');

/** Files that count round trips, and files whose service is a process of its own. */
const NEVER_DELAYED = /^(chaos|cli|demo|dev)\/|\/paused-replica|^(postgres|modules\/apps)\/statements/;

/** Files of which `npm run test:whole` runs a sample of the cases (test/support/sampled.ts). */
const SAMPLED = {
  unit: ['modules/chain/ethereum-proofs.spec.ts'],
  e2e: [
    'contract/prefilled.e2e-spec.ts',
    'dev/demo-reset.e2e-spec.ts',
    'modules/policy/budgets/budget-race.e2e-spec.ts',
    'modules/policy/faults.e2e-spec.ts',
    'modules/transfer/orders/killed-batches.e2e-spec.ts',
    'services/crypto/key-outages.e2e-spec.ts',
    'services/crypto/move-killed.e2e-spec.ts',
  ],
};

/** What `npm run test:whole` runs a sample of: all end-to-end files with delayed statements, and all cases of the sampled files. */
module.exports = {
  ...shared,
  projects: [
    ...projects
      .filter(({ displayName }) => displayName === 'delayed')
      .map((project) => ({
        ...project,
        testMatch: groupsOfTestFiles('whole')('all-delayed', '.e2e-spec.ts', (path) => !NEVER_DELAYED.test(path)),
      })),
    ...projects
      .filter(({ displayName }) => displayName in SAMPLED)
      .map((project) => ({
        ...project,
        displayName: `sampled ${project.displayName}`,
        globals: { ...project.globals, areAllCasesRun: true },
        testMatch: SAMPLED[project.displayName].map((path) => `<rootDir>/test/${path}`),
      })),
  ],
};
