import { refusal } from '../../../kernel/domain-error.js';

export class EventNotFound extends refusal('not_found', 'event_not_found', {
  message: 'There is no event with this id.',
  help: 'This app has no event with this id: it never had, or the event is older than the retention of events.',
}) {}

export class InvalidCursor extends refusal('invalid', 'invalid_cursor', {
  message: 'after names no event of this app. Pass the id or the position of the last event that you have handled.',
  help: 'after is neither the id of an event of this app nor a position that an event of this app has had. Pass the id or the position of the last event that you have handled; leave it out to begin with the oldest event.',
}) {}

export class CursorExpired extends refusal('invalid', 'cursor_expired', {
  message: (oldestPosition: number) =>
    `Events after this cursor have been removed. The oldest position is ${oldestPosition}. Read the current state, then pass after=${oldestPosition - 1}.`,
  help: 'Events after this cursor are older than the retention of events and were removed. The message names the oldest position that is left. Read the current state by the other calls, then go on with `after` one below that position.',
}) {}

export class FeedWasReset extends refusal('conflict', 'feed_was_reset', {
  message: (lastCommonPosition: number) =>
    `The feed is not the one of feed_id any more. Both have the events up to position ${lastCommonPosition}. Pass after=${lastCommonPosition} without feed_id.`,
  help: 'The database was brought back to an older state, and positions after the named one were given to other events since. Forget what you have handled after that position, then go on with `after` set to it and with the feed_id of the answer. A cursor by event id is not ambiguous, but the event may be gone.',
}) {}
