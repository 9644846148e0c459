const Sequencer = require('@jest/test-sequencer').default;

/** Without timings, as in a fresh clone, Jest sorts by size and would run one of these last, alone. */
const LONGEST = [
  'modules-transfer.e2e.cjs',
  'policy-budgets.e2e.cjs',
  'policy-approvals.e2e.cjs',
  'postgres.e2e.cjs',
  'sessions.e2e.cjs',
  'edge.e2e.cjs',
  'sign-in.e2e.cjs',
  'chaos.e2e.cjs',
  'users.e2e.cjs',
  'services.e2e.cjs',
  'modules-webhooks.e2e.cjs',
  'modules-events.e2e.cjs',
  'console.e2e.cjs',
  'contract.e2e.cjs',
  'modules-chain.unit.cjs',
  'dev.e2e.cjs',
];

module.exports = class LongestFirst extends Sequencer {
  async sort(tests) {
    const rank = ({ path }) => {
      const index = LONGEST.findIndex((name) => path.endsWith(`/${name}`));
      return index < 0 ? LONGEST.length : index;
    };
    return [...(await super.sort(tests))].sort((a, b) => rank(a) - rank(b));
  }
};
