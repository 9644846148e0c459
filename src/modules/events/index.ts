export { EventsModule } from './events.module.js';
export { EventSequence } from './domain/event-sequence.js';
export type { FeedEvent } from './domain/event-feed.js';
export { Sequencer } from './sequencer.js';
