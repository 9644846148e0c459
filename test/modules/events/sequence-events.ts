import { startWriter } from './sequencers.js';

// A process that sequences events until it is killed. Prints a line once it has begun.
const writer = await startWriter(process.argv[2]!, 2);
writer.sequencer.start();
console.log('begun');
setInterval(() => {}, 60_000);
