import { applyDecorators, Header } from '@nestjs/common';
import { ApiExtension, ApiOperation } from '@nestjs/swagger';

/** Marks a route as beta in its responses (`X-Api-Stability`) and in the document (`x-stability`). */
export function Beta(): MethodDecorator {
  return applyDecorators(Header('X-Api-Stability', 'beta'), ApiExtension('x-stability', 'beta'));
}

/** When the deprecated routes were deprecated (RFC 9745) and when they may be removed (RFC 8594). */
const DEPRECATED_SINCE = '@1767225600';
const SUNSET = 'Fri, 31 Dec 2027 23:59:59 GMT';

/** Marks a route as deprecated in its headers and the document, which name the replacement. */
export function Deprecated({ instead }: { instead: string }): MethodDecorator {
  return applyDecorators(
    Header('Deprecation', DEPRECATED_SINCE),
    Header('Sunset', SUNSET),
    ApiOperation({ deprecated: true }),
    ApiExtension('x-replaced-by', instead),
  );
}
