const Sequencer = require('@jest/test-sequencer').default;
const { plan, secondsOfGroup } = require('./test-times.cjs');

/** Chaos stretches its pauses by the load of the machine: 3 minutes alone, 20 beside other tests. So it runs when they have ended. */
const isAfterAll = ({ path }) => path.includes('/chaos.');

/** Without timings of its own, as in a fresh clone, Jest sorts by size and would run a long group last, alone. */
module.exports = class LongestFirst extends Sequencer {
  async sort(tests) {
    const sorted = await super.sort(tests);
    if (!sorted.every(({ path }) => path.includes('/.groups/'))) return sorted;
    plan(sorted.map(({ path }) => path));
    return sorted.toSorted(
      (one, other) => isAfterAll(one) - isAfterAll(other) || secondsOfGroup(other.path) - secondsOfGroup(one.path),
    );
  }
};
