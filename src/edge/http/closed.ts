import { ApiSchema } from '@nestjs/swagger';
import type { FieldError } from '../../kernel/domain-error.js';
import { ignoredIn } from './ignored-fields.js';

const closed = new WeakSet<object>();

/**
 * Refuses an object of this class that has a field which the class does not take. Elsewhere such fields are ignored. Use it where a
 * misspelt field would change the meaning of the object.
 */
export function Closed(): ClassDecorator {
  return (model) => {
    closed.add(model);
    // The type of ApiSchema allows only name and description, but it copies every key into the schema.
    ApiSchema({ additionalProperties: false } as Parameters<typeof ApiSchema>[0])(model);
  };
}

/** More faults of one request are not reported, because a small request would cause a large response. */
export const MOST_FAULTS = 100;
const LONGEST_PATH = 256;

/** The faults of the fields in `given` that objects of closed classes in the request do not take. */
export function unknownFields(given: unknown, request: object): FieldError[] {
  const faults: FieldError[] = [];
  for (const { path, model } of ignoredIn(given, request)) {
    if (!closed.has(model)) continue;
    faults.push({ field: path.slice(0, LONGEST_PATH), rule: 'unknown', message: 'is not a known field' });
    if (faults.length === MOST_FAULTS) break;
  }
  return faults;
}
