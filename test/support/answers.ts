import type { Answer } from './app.js';

/** Throws unless the call succeeded. */
export function bodyOf(called: string, { status, body, text }: Answer): Answer['body'] {
  if (status >= 200 && status < 300) return body;
  const { error_type: type = text, error_message: message = '' } = Object(body) as Record<string, string>;
  throw new Error(`${called} answered ${status} ${type}: ${message}`);
}

/** The line that a test prints beside an answer of 500: the response does not name the cause. Null for any other line of the log. */
export function causeIn(line: string): string | null {
  if (!line.includes('"error_type":"internal_error"')) return null;
  const { method, route, err } = JSON.parse(line) as Record<string, unknown> & { readonly err?: { stack?: string } };
  return `The cause of a 500 of ${String(method)} ${String(route)}: ${err?.stack ?? JSON.stringify(err)}\n`;
}
