const Sequencer = require('@jest/test-sequencer').default;
const { plan, secondsOfGroup } = require('./test-times.cjs');

/** Without timings of its own, as in a fresh clone, Jest sorts by size and would run a long group last, alone. */
module.exports = class LongestFirst extends Sequencer {
  async sort(tests) {
    const sorted = await super.sort(tests);
    if (!sorted.every(({ path }) => path.includes('/.groups/'))) return sorted;
    plan(sorted.map(({ path }) => path));
    return sorted.toSorted((one, other) => secondsOfGroup(other.path) - secondsOfGroup(one.path));
  }
};
