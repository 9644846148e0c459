const { projects, ...shared } = require('./jest.config.cjs');

/** Faults in a service that Prometheus watches: it needs `prometheus` and `promtool`, which Debian's package `prometheus` has. */
module.exports = {
  ...shared,
  projects: projects
    .filter(({ displayName }) => displayName === 'e2e')
    .map((project) => ({ ...project, displayName: 'drills', testMatch: ['<rootDir>/test/drills/*.drill.ts'] })),
};
