/** Control characters and invisible marks become blanks, so a value cannot start a header or hide text. */
export function oneLine(text: string): string {
  return text.replace(/[\p{C}\p{Z}]+/gu, ' ').trim();
}

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

/** The person who enters a name chooses a text of the app's mail: digits could ask the reader to call a number. */
const NAME = /^[\p{L}\p{M} '’.-]+$/u;
/** Mail programs make links of texts that look like addresses, so a name could send a link. */
const LINK_LIKE = /www\.|\p{L}\.\p{L}{2,}/iu;
const LONGEST_GREETED = 64;

export function greeting(name: string | undefined): string {
  const line = oneLine(name ?? '');
  return line === '' || line.length > LONGEST_GREETED || LINK_LIKE.test(line) || !NAME.test(line)
    ? 'Hello,'
    : `Hello ${line},`;
}

export function duration(minutes: number): string {
  const [size, unit] = minutes % 1440 === 0 ? [1440, 'day'] : minutes % 60 === 0 ? [60, 'hour'] : [1, 'minute'];
  const count = minutes / (size as number);
  return `${count} ${unit as string}${count === 1 ? '' : 's'}`;
}
