export { EventsModule } from './events.module.js';
export { Sequencer } from './sequencer.js';
