import type { DestinationStream } from 'pino';

/** Writes each JSON line of the log for a developer's terminal, as `12:34:56.789 info message name=value …`. */
export class ReadableLines implements DestinationStream {
  constructor(private readonly output: { write(text: string): unknown }) {}

  write(line: string): void {
    const { time, level, msg, err, ...fields } = JSON.parse(line) as Record<string, unknown>;
    const named = Object.entries(fields).map(([name, value]) => `${name}=${plain(value)}`);
    const head = [String(time).slice(11, 23), String(level).padEnd(5), plain(msg ?? '')].join(' ');
    this.output.write([head, ...named].join('  ') + stackOf(err) + '\n');
  }
}

/** Control characters are escaped, because a terminal would obey them. */
function plain(value: unknown): string {
  const escape = (text: string) =>
    text.replace(/\p{Cc}/gu, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return escape(typeof value === 'string' ? value : JSON.stringify(value));
}

/** An error keeps its stack, on lines of its own. */
function stackOf(err: unknown): string {
  if (err === undefined) return '';
  const { stack } = err as { stack?: unknown };
  return typeof stack === 'string'
    ? stack
        .split('\n')
        .map((line) => `\n    ${plain(line.trim())}`)
        .join('')
    : `\n    ${plain(err)}`;
}
