process.env['TIGHTER_PAIRS'] = '100';
const { projects } = require('./jest.config.cjs');

/** Unit tests of the domains whose mutants are counted, without those that take long because they draw cases at random or measure time. */
module.exports = {
  ...projects.find(({ displayName }) => displayName === 'unit'),
  testMatch: ['<rootDir>/test/modules/{policy,transfer}/**/*.spec.ts'],
  testPathIgnorePatterns: ['random-requests', 'batch-work', 'budget-history', 'confirm-transfer', 'limiter', 'tracker'],
};
