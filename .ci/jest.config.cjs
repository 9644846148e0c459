const { availableParallelism } = require('node:os');
const { groupsOfTestFiles, testFiles } = require('./test-groups.cjs');

/** Which tests run: those of a tier, a group at a time, or the files that the arguments name, such as `npm test -- test/modules/otp`. */
const { TEST_TIER: tier } = process.env;
const filesOf = tier ? groupsOfTestFiles(tier) : testFiles;

// Nest 12 and several libraries are ESM-only. Jest's ESM mode cannot load CommonJS add-ons on Node 20 and 22, so the
// tests run as CommonJS and these ESM-only packages are transpiled.
const swc = (parser) => ({
  swcrc: false,
  sourceMaps: 'inline',
  jsc: {
    parser,
    transform: { legacyDecorator: true, decoratorMetadata: true },
    target: 'es2022',
    keepClassNames: true,
  },
  module: { type: 'commonjs', ignoreDynamic: false },
});
const esmOnly = [
  '@nestjs',
  'file-type',
  'strtok3',
  'token-types',
  'uint8array-extras',
  '@tokenizer',
  '@borewit',
  'jose',
  'stream-json',
  'stream-chain',
  '@scure',
  '@noble',
  '@otplib',
  '@bitauth',
  'oauth4webapi',
  'openid-client',
  'oidc-provider',
  'nanoid',
  'eta',
  'quick-lru',
  'oidc-token-hash',
  'jsesc',
  'raw-body',
];
const shared = {
  testEnvironment: 'node',
  rootDir: require('node:path').join(__dirname, '..'),
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '^.+\\.ts$': ['@swc/jest', swc({ syntax: 'typescript', decorators: true })],
    '^.+\\.m?js$': ['@swc/jest', swc({ syntax: 'ecmascript', decorators: true })],
  },
  transformIgnorePatterns: [`/node_modules/(?!(${esmOnly.join('|')})/)`],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/data/'],
  // `npm run module:check` calls generated cases of every route once more: a tenth of them, as `npm test` does.
  globals: { testTier: tier ?? (process.env['IS_MODULE_CHECK'] ? 'first' : 'whole') },
  setupFiles: ['reflect-metadata'],
};
const withDatabase = {
  ...shared,
  setupFiles: [...shared.setupFiles, '<rootDir>/test/support/quick-keys.ts'],
  globalSetup: '<rootDir>/test/support/database-server.ts',
  globalTeardown: '<rootDir>/test/support/database-server-stop.ts',
};
/**
 * These end-to-end files run again with delayed statements (test/support/delayed-statements.ts), and with
 * `npm run test:all` all of them do. They call every POST route, also on two replicas at once, and join sessions.
 */
const DELAYED_SAMPLE = ['contract/idempotency', 'modules/identity/users', 'modules/session/verify-call'];
/** These end-to-end files run again behind a pooler in transaction mode; `npm run test:pgbouncer` runs more. */
const POOLED_SAMPLE = ['modules/session/verify-call', 'modules/transfer/orders/deletion-races'];
/** These end-to-end files run again with a key provider and without keys in memory; COLD_KEYS=1 runs the named files so. */
const COLD_SAMPLE = ['contract/idempotency', 'modules/session/verify-call'];
const isIn = (sample) => (path) => sample.some((file) => path === `${file}.e2e-spec.ts`);

module.exports = {
  rootDir: '..',
  // Seeds the delays and the samples: `--seed=…` repeats a run.
  showSeed: true,
  ...(tier && { reporters: [require.resolve('./test-progress.cjs')] }),
  // High, because a busy machine must not fail a test. A test that is about speed has its own limit, in units that do
  // not depend on the load. No test lowers it.
  testTimeout: 240_000,
  testSequencer: require.resolve('./longest-first.cjs'),
  // A busy machine takes more than Jest's half a second to free the memory of a worker, which Jest then reports as a leak. A worker that
  // still waits for something after this time has one.
  workerGracefulExitTimeout: 30_000,
  // A worker and its share of PostgreSQL keep about one core busy, but wait for a quarter of the time.
  maxWorkers: Math.floor(availableParallelism() / 2) + 2,
  // Without a file of the tier a project would match all files.
  projects: [
    { ...shared, displayName: 'unit', testMatch: filesOf('unit', '.spec.ts') },
    { ...withDatabase, displayName: 'e2e', testMatch: filesOf('e2e', '.e2e-spec.ts') },
    {
      ...withDatabase,
      displayName: 'delayed',
      setupFilesAfterEnv: ['<rootDir>/test/support/delayed-statements.ts'],
      testMatch: filesOf('delayed', '.e2e-spec.ts', isIn(DELAYED_SAMPLE)),
    },
    {
      ...withDatabase,
      displayName: 'pooled',
      setupFilesAfterEnv: ['<rootDir>/test/support/through-pooler.ts'],
      testMatch: filesOf('pooled', '.e2e-spec.ts', isIn(POOLED_SAMPLE)),
    },
    {
      ...withDatabase,
      displayName: 'cold',
      setupFilesAfterEnv: ['<rootDir>/test/support/cold-keys.ts'],
      testMatch: filesOf('cold', '.e2e-spec.ts', process.env['COLD_KEYS'] ? () => true : isIn(COLD_SAMPLE)),
    },
  ].filter(({ testMatch }) => testMatch.length > 0),
};
