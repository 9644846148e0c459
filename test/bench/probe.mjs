// Loaded into every measured process before its own code: reports the processor time, profiles on demand, and ends the
// process when the benchmark ends, also after a crash.
import { Session } from 'node:inspector/promises';

const profiler = new Session();

const TRACING = new URL('../../dist/src/kernel/tracing.js', import.meta.url).href;
let tracing;
async function trace(isOn) {
  const { currentTracing, traceBy } = await import(TRACING);
  tracing ??= currentTracing();
  traceBy(isOn ? tracing : undefined);
}

const answers = {
  spansOn: () => trace(true),
  spansOff: () => trace(false),
  cpu: () => {
    const { user, system } = process.cpuUsage();
    return user + system;
  },
  async startProfile() {
    profiler.connect();
    await profiler.post('Profiler.enable');
    await profiler.post('Profiler.setSamplingInterval', { interval: 200 });
    await profiler.post('Profiler.start');
  },
  async stopProfile() {
    const { profile } = await profiler.post('Profiler.stop');
    profiler.disconnect();
    return profile;
  },
};

process.on('message', async ({ ask }) => process.send({ ask, answer: await answers[ask]() }));
process.on('disconnect', () => process.exit());
