import { InvalidRequest } from '../../../kernel/errors.js';
import { isEventType } from '../../../kernel/event-types.js';

/** Throws `InvalidRequest` for each type in a filter that no module declares. */
export function requireKnownTypes(types: readonly string[]): void {
  const unknown = types.filter((type) => !isEventType(type));
  if (unknown.length === 0) return;
  throw new InvalidRequest(
    unknown.map((type) => ({
      field: 'types',
      rule: 'exists',
      message: `names ${JSON.stringify(type)}, which is not an event type; GET /v1/event_types lists them`,
    })),
  );
}
