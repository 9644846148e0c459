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
  'services/crypto/key-status',
  'services/{jobs,limits,mail}/**/*',
];

/** Tests that cannot hold on a cluster, by their full names, and why. */
const EXCLUDED = {
  'a claim reads only the rows that it takes, and so does the statement that stores results, also with a large backlog':
    'PostgreSQL 15 reads all rows of the app, also without Citus: it expects that a search by the arrays of keys costs more.',
  'a budget is summed without reading the events of its windows each time':
    'EXPLAIN ANALYZE refuses a statement that stores what it selects.',
  'the open approvals of an app are found without reading those that have ended':
    'EXPLAIN of a statement over all apps shows a node of Citus, and none of PostgreSQL.',
  'the position of an event is right where the order of transaction ids is wrong':
    'The id of a transaction is given by each node for itself.',
  'what open transfers of a wallet may still take is read by one plan, because its statement takes longer to plan than to run':
    'The coordinator and the worker plan the statement for each call.',
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
