const Sequencer = require('@jest/test-sequencer').default;

/**
 * Files that take minutes. Without timings, as in a fresh clone, Jest sorts by size and would run one of these last,
 * alone.
 */
const LONGEST = [
  'chaos.e2e.cjs',
  'modules-transfer.e2e.cjs',
  'postgres.e2e.cjs',
  'contract.e2e.cjs',
  'modules-chain.unit.cjs',
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
