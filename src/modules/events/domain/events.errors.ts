import { DomainError } from '../../../kernel/domain-error.js';

export class EventNotFound extends DomainError {
  static override readonly code = 'event_not_found';
  static override readonly kind = 'not_found';
  static override readonly help =
    'This app has no event with this id: it never had, or the event is older than the retention of events.';
  constructor() {
    super('There is no event with this id.');
  }
}

export class InvalidCursor extends DomainError {
  static override readonly code = 'invalid_cursor';
  static override readonly kind = 'invalid';
  static override readonly help =
    'after is neither the id of an event of this app nor a position that an event of this app has had. Pass the id or the position of the last event that you have handled; leave it out to begin with the oldest event.';
  constructor() {
    super('after names no event of this app. Pass the id or the position of the last event that you have handled.');
  }
}

export class CursorExpired extends DomainError {
  static override readonly code = 'cursor_expired';
  static override readonly kind = 'invalid';
  static override readonly help =
    'Events after this cursor are older than the retention of events and were removed. The message names the oldest position that is left. Read the current state by the other calls, then go on with `after` one below that position.';
  constructor(oldestPosition: number) {
    super(
      `Events after this cursor have been removed. The oldest position is ${oldestPosition}. Read the current state, then pass after=${oldestPosition - 1}.`,
    );
  }
}

export class FeedWasReset extends DomainError {
  static override readonly code = 'feed_was_reset';
  static override readonly kind = 'conflict';
  static override readonly help =
    'The database was brought back to an older state, and positions after the named one were given to other events since. Forget what you have handled after that position, then go on with `after` set to it and with the feed_id of the answer. A cursor by event id is not ambiguous, but the event may be gone.';
  constructor(lastCommonPosition: number) {
    super(
      `The feed is not the one of feed_id any more. Both have the events up to position ${lastCommonPosition}. Pass after=${lastCommonPosition} without feed_id.`,
    );
  }
}
