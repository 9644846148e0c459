import { ApiSchema } from '@nestjs/swagger';
import type { FieldError } from '../../kernel/domain-error.js';
import { ignoredIn } from './ignored-fields.js';

const closed = new WeakSet<object>();

/** Refuses fields that the class does not take. Use it where a misspelt field would change the meaning of the object. */
export function Closed(): ClassDecorator {
  return (model) => {
    closed.add(model);
    ApiSchema({ additionalProperties: false } as Parameters<typeof ApiSchema>[0])(model);
  };
}

/** A small request must not cause a large response. */
export const MOST_FAULTS = 100;
const LONGEST_PATH = 256;

export function unknownFields(given: unknown, request: object): FieldError[] {
  const faults: FieldError[] = [];
  for (const { path, model } of ignoredIn(given, request)) {
    if (!closed.has(model)) continue;
    faults.push({ field: path.slice(0, LONGEST_PATH), rule: 'unknown', message: 'is not a known field' });
    if (faults.length === MOST_FAULTS) break;
  }
  return faults;
}
