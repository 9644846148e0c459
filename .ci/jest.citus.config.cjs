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

const PLAN = 'The plan is that of a worker, which EXPLAIN on the coordinator does not show so.';
/** Tests that cannot hold on a cluster, by their full names, and why. */
const EXCLUDED = {
  'many sessions of a user that have expired are not read when the live ones are listed': PLAN,
  'many sessions of a user that have just ended do not make the list read the sessions of other users': PLAN,
  'a claim reads only the rows that it takes, and so does the statement that stores results, also with a large backlog':
    PLAN,
  'the position of an event is right where the order of transaction ids is wrong':
    'The id of a transaction is given by each node for itself.',
};

process.env.TEST_DATABASE_SERVER = process.env.CITUS_URL ?? '';

module.exports = {
  ...shared,
  maxWorkers: 2,
  testNamePattern: `^(?!(?:${Object.keys(EXCLUDED).join('|')})$)`,
  projects: projects
    .filter(({ displayName }) => displayName === 'e2e')
    .map((project) => ({
      ...project,
      displayName: 'citus',
      testMatch: FILES.map((file) => `<rootDir>/test/${file}.e2e-spec.ts`),
    })),
};
