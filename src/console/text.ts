import text from './strings.json' with { type: 'json' };

/** The texts of a module's pages are in its `console/texts.json`. */
export { text };

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

const CLOCKS_DIFFER = 10;

export const exactly = (seconds: number): string => exactTime.format(seconds * 1_000);

/** A month from now, the date. */
export function relatively(seconds: number, now: number): string {
  const exact = seconds - Math.floor(now / 1_000);
  // The clocks of browser and service differ a little: what has happened must not seem to come.
  const distance = exact > 0 && exact <= CLOCKS_DIFFER ? 0 : exact;
  if (Math.abs(distance) > 30 * 86_400) return when(seconds);
  const [unit, length] = UNITS.find(([, of]) => Math.abs(distance) >= of) ?? ['second', 1];
  return relativeTime.format(Math.trunc(distance / length), unit);
}

/** The API writes 0 where there is no time. */
export function when(seconds: number): string {
  return seconds === 0 ? text.none : dateTime.format(seconds * 1_000);
}

/** ISO 8601. */
export const isoTime = (seconds: number): string => (seconds === 0 ? '' : new Date(seconds * 1_000).toISOString());

/** An input of the type datetime-local has the time zone of the browser. */
export const epochOf = (local: string): number => Math.floor(Date.parse(local) / 1_000);

/** A value that is newer than the console stands for itself. */
export function nameOf(value: string): string {
  const names: Readonly<Record<string, string>> = text.values;
  return names[value] ?? value.replaceAll('_', ' ');
}

/** The name of an event or of an audited action as a phrase: `session.revoked` is "Session ended". */
export function phraseOf(type: string): string {
  const phrases: Readonly<Record<string, string>> = text.phrases;
  const words = type.replaceAll(/[._]/g, ' ');
  return phrases[type] ?? words.charAt(0).toUpperCase() + words.slice(1);
}
