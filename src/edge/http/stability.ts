import { applyDecorators, Header } from '@nestjs/common';
import { ApiExtension, ApiOperation } from '@nestjs/swagger';

/** Marks a route as beta: in the answer (`X-Api-Stability`) and in the document (`x-stability`). */
export function Beta(): MethodDecorator {
  return applyDecorators(Header('X-Api-Stability', 'beta'), ApiExtension('x-stability', 'beta'));
}

/** When the deprecated routes were deprecated (RFC 9745) and when they may go (RFC 8594). */
const DEPRECATED_SINCE = '@1767225600';
const SUNSET = 'Fri, 31 Dec 2027 23:59:59 GMT';

/** Marks a route as deprecated in headers and document, naming what to call instead. */
export function Deprecated({ instead }: { instead: string }): MethodDecorator {
  return applyDecorators(
    Header('Deprecation', DEPRECATED_SINCE),
    Header('Sunset', SUNSET),
    ApiOperation({ deprecated: true }),
    ApiExtension('x-replaced-by', instead),
  );
}
