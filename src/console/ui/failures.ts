import { fill, text } from '../text.js';

const LINKS: ReadonlySet<unknown> = new Set(['invalid_magic_token', 'magic_link_expired']);
const UNITS = [
  ['h', 3_600],
  ['min', 60],
] as const;

export function failureIn({ type, data }: { readonly type: string; readonly data: object }): string | undefined {
  if (type !== 'login.failed') return undefined;
  const { class: kind, reason, ended_seconds_ago: ago } = data as Readonly<Record<string, unknown>>;
  const sentences: Readonly<Record<string, string>> = text.event.failures[LINKS.has(kind) ? 'link' : 'code'];
  const sentence = sentences[String(reason)];
  if (sentence === undefined) return undefined;
  const time = typeof ago === 'number' ? inUnits(ago) : '';
  return fill(sentence, { time }).replace('  ', ' ');
}

export function inUnits(seconds: number): string {
  const [unit, length] = UNITS.find(([, of]) => seconds >= 2 * of) ?? ['s', 1];
  return `${Math.floor(seconds / length)} ${unit}`;
}
