import { ApiExtension } from '@nestjs/swagger';

/** The extension of an operation that is refused as it is prefilled, with the reason. */
export const REFUSED_AS_PREFILLED = 'x-refused-as-prefilled';

/**
 * States in the document why the examples of an operation get an error also on the data of a development start, such as a value that
 * is valid once. A sentence.
 */
export function RefusedAsPrefilled(reason: string): MethodDecorator {
  return ApiExtension(REFUSED_AS_PREFILLED, reason);
}
