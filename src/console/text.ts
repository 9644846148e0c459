import text from './strings.json' with { type: 'json' };

/** The texts that the pages share. Those of a module's pages are in its `console/texts.json`. */
export { text };

/** A text with its `{placeholders}` filled in. */
export function fill(template: string, values: Readonly<Record<string, string | number | null>>): string {
  return template.replace(/\{(\w+)\}/g, (_whole, name: string) => String(values[name] ?? ''));
}

const dateTime = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });

const exactTime = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'long' });
const relativeTime = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** Formats epoch seconds with seconds and the time zone of the browser. */
export const exactly = (seconds: number): string => exactTime.format(seconds * 1_000);

/** Formats epoch seconds as a distance from `now`, such as "3 minutes ago"; a month from now as a date. */
export function relatively(seconds: number, now: number): string {
  const distance = seconds - Math.floor(now / 1_000);
  if (Math.abs(distance) > 30 * 86_400) return when(seconds);
  const [unit, length] = UNITS.find(([, of]) => Math.abs(distance) >= of) ?? ['second', 1];
  return relativeTime.format(Math.trunc(distance / length), unit);
}

/** Formats epoch seconds in the time zone of the browser. The API writes 0 where there is no time. */
export function when(seconds: number): string {
  return seconds === 0 ? text.none : dateTime.format(seconds * 1_000);
}

/** Formats epoch seconds by ISO 8601, for programs; empty where there is no time. */
export const isoTime = (seconds: number): string => (seconds === 0 ? '' : new Date(seconds * 1_000).toISOString());

/** The epoch seconds of an input of the type datetime-local, in the time zone of the browser. */
export const epochOf = (local: string): number => Math.floor(Date.parse(local) / 1_000);

/** The text of a value of the API, such as a state; a value that is newer than the console stands for itself. */
export function nameOf(value: string): string {
  const names: Readonly<Record<string, string>> = text.values;
  return names[value] ?? value.replaceAll('_', ' ');
}
