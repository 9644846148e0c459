type Json = { [key: string]: unknown };

export const RESPONSE_HEADERS = {
  RequestId: header(
    'The id of the request: that of the request header `X-Request-Id`, or a new one. The log has it too.',
    '6f1c1b1e-6f0e-4f0e-9d8a-0c6b5a4e3d2c',
  ),
  RateLimit: header(
    'The calls left, and the seconds until all are available again. Several policies are separated by commas. Absent where the call is not counted, as one with a valid management key.',
    '"default";r=4999;t=1',
  ),
  RateLimitPolicy: header('The calls permitted, and the seconds of their window.', '"default";q=5000;w=1'),
  RetryAfter: header('The seconds after which a retry may succeed.', 1, 'integer'),
  Deprecation: header('Since when the operation is deprecated, as `@` and epoch seconds (RFC 9745).', '@1767225600'),
  Sunset: header('When the operation may be removed (RFC 8594).', 'Fri, 31 Dec 2027 23:59:59 GMT'),
};

function header(description: string, example: unknown, type = 'string'): Json {
  return { description, schema: { type }, example };
}

const ref = (name: keyof typeof RESPONSE_HEADERS): Json => ({ $ref: `#/components/headers/${name}` });

/** Common headers are in the text of the document: repeated at each response they were more than a tenth of it. */
export function describeResponseHeaders(operation: Json & { responses: Json }): void {
  // The handler sets these, so a response from before it lacks them.
  const byHandler = operation['deprecated'] === true && { Deprecation: ref('Deprecation'), Sunset: ref('Sunset') };
  for (const [status, response] of Object.entries(operation.responses) as [string, Json][]) {
    const headers = {
      ...(response['headers'] as Json | undefined),
      ...(status === '429' && {
        'X-Request-Id': ref('RequestId'),
        RateLimit: ref('RateLimit'),
        'RateLimit-Policy': ref('RateLimitPolicy'),
      }),
      ...(Number(status) < 400 && byHandler),
      ...(['429', '503'].includes(status) && { 'Retry-After': ref('RetryAfter') }),
    };
    if (Object.keys(headers).length > 0) response['headers'] = headers;
  }
}
