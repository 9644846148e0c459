/** Text for one line: control characters, line breaks and invisible marks become blanks, so a value cannot start a header or hide text. */
export function oneLine(text: string): string {
  return text.replace(/[\p{C}\p{Z}]+/gu, ' ').trim();
}

/** Text for an HTML element or a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** The person who enters a name chooses a text of the app's mail: one with digits could ask the reader to call a number. */
const NAME = /^[\p{L}\p{M} '’.-]+$/u;
/** Mail programs make links of texts that look like addresses: an attacker could use a name to send a link in an app's mail. */
const LINK_LIKE = /www\.|\p{L}\.\p{L}{2,}/iu;
const LONGEST_GREETED = 64;

/** The first line, such as `Hello Ann,`. */
export function greeting(name: string | undefined): string {
  const line = oneLine(name ?? '');
  return line === '' || line.length > LONGEST_GREETED || LINK_LIKE.test(line) || !NAME.test(line)
    ? 'Hello,'
    : `Hello ${line},`;
}

/** The duration in the largest unit that leaves no remainder, such as `90 minutes` or `1 hour`. */
export function duration(minutes: number): string {
  const [size, unit] = minutes % 1440 === 0 ? [1440, 'day'] : minutes % 60 === 0 ? [60, 'hour'] : [1, 'minute'];
  const count = minutes / (size as number);
  return `${count} ${unit as string}${count === 1 ? '' : 's'}`;
}
