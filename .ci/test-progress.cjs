const { expectedSecondsLeft, writeTable } = require('./test-times.cjs');

const inWords = (seconds) => (seconds < 90 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`);

/** Jest's reporter of a run of groups: a line for each that has ended, with the time left, and the command that runs a failed case again. */
module.exports = class TestProgress {
  startedAt = performance.now();
  ended = [];

  onTestResult({ path, context }, { testResults, testExecError, failureMessage, perfStats }, { numTotalTestSuites }) {
    this.ended.push(path);
    const failed = testResults.filter(({ status }) => status === 'failed');
    const passed = testResults.filter(({ status }) => status === 'passed').length;
    const name = path.split('/').at(-1).split('.')[0];
    const left = expectedSecondsLeft(this.ended, this.#seconds());
    console.error(
      `${failed.length > 0 || testExecError ? 'FAILED' : 'ok    '} ${context.config.displayName.name} ${name}: ${passed} passed, ` +
        `${failed.length} failed in ${inWords(perfStats.runtime / 1_000)}; ${this.ended.length} of ${numTotalTestSuites} groups` +
        (left === undefined ? '' : `, about ${inWords(left)} left`),
    );
    if (failureMessage) console.error(failureMessage);
    for (const { ancestorTitles, fullName } of failed) {
      const [file] = ancestorTitles;
      const pattern = fullName.slice(file.length + 1).replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
      console.error(`again: npm test -- test/${file} -t '${pattern.replaceAll("'", '.')}$'`);
    }
  }

  onRunComplete(_contexts, results) {
    const { numPassedTests, numFailedTests, numPendingTests, numRuntimeErrorTestSuites } = results;
    const failed = numFailedTests + numRuntimeErrorTestSuites;
    console.error(
      `\n${numPassedTests} passed, ${failed} failed, ${numPendingTests} skipped in ${inWords(this.#seconds())}`,
    );
    writeTable(results.testResults);
  }

  #seconds() {
    return (performance.now() - this.startedAt) / 1_000;
  }
};
