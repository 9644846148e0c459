const { projects, ...shared } = require('./jest.config.cjs');

/**
 * End-to-end files on the Citus cluster whose coordinator `CITUS_URL` names, by a superuser: each service gets a database of its own on
 * the coordinator and on each worker. The workers are those that `pg_dist_node` of the named database lists.
 */
const FILES = [
  'contract/{idempotency,tenancy}*',
  'edge/**/*',
  'modules/**/*',
  'postgres/distribute',
  'services/{jobs,limits,mail}/**/*',
];

process.env.TEST_DATABASE_SERVER = process.env.CITUS_URL ?? '';

module.exports = {
  ...shared,
  maxWorkers: 2,
  projects: projects
    .filter(({ displayName }) => displayName === 'e2e')
    .map((project) => ({
      ...project,
      displayName: 'citus',
      testMatch: FILES.map((file) => `<rootDir>/test/${file}.e2e-spec.ts`),
    })),
};
