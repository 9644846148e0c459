const { projects, ...shared } = require('./jest.config.cjs');

/**
 * End-to-end files behind a pooler in transaction mode: PgBouncer 1.21 or later if it is on the PATH, else that of the tests. Each
 * replica that a test starts has a pooler of its own.
 */
const FILES = [
  'contract/idempotency',
  'modules/!(apps|audit|chain)/**/*',
  'postgres/pooler{,-faults}',
  'services/{jobs,limits}/**/*',
];

module.exports = {
  ...shared,
  projects: projects
    .filter(({ displayName }) => displayName === 'pooled')
    .map((project) => ({
      ...project,
      testMatch: FILES.map((file) => `<rootDir>/test/${file}.e2e-spec.ts`),
      // They explain statements by replacing what pg sends.
      testPathIgnorePatterns: ['/node_modules/', '/identity/search'],
    })),
};
