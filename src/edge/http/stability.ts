import { applyDecorators, Header } from '@nestjs/common';
import { ApiExtension, ApiOperation } from '@nestjs/swagger';

export function Beta(): MethodDecorator {
  return applyDecorators(Header('X-Api-Stability', 'beta'), ApiExtension('x-stability', 'beta'));
}

/** RFC 9745 and RFC 8594. */
const DEPRECATED_SINCE = '@1767225600';
const SUNSET = 'Fri, 31 Dec 2027 23:59:59 GMT';

export function Deprecated({ instead }: { instead: string }): MethodDecorator {
  return applyDecorators(
    Header('Deprecation', DEPRECATED_SINCE),
    Header('Sunset', SUNSET),
    ApiOperation({ deprecated: true }),
    ApiExtension('x-replaced-by', instead),
  );
}
