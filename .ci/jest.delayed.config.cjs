const { projects, ...shared } = require('./jest.config.cjs');

/** All end-to-end files with delayed statements, of which `npm test` runs a sample. */
module.exports = {
  ...shared,
  projects: projects
    .filter(({ displayName }) => displayName === 'delayed')
    .map((project) => ({ ...project, testMatch: ['<rootDir>/test/**/*.e2e-spec.ts'] })),
};
