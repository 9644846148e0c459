import { isIP } from 'node:net';

/** A text without these hosts, and without addresses. Faults in a bundle may name both. */
export function withoutHosts(text: string, hosts: readonly string[]): string {
  const names = hosts.filter((host) => host !== '').map((host) => host.replace(/[^\w-]/g, '\\$&'));
  return (
    text
      .replace(new RegExp(`(?<![\\w-])(?:${names.join('|')})(?![\\w-])`, 'gi'), '…')
      .replace(/[0-9a-f.:]{3,}/gi, (part) => (isAddress(part) ? '…' : part))
      // The line before misses an address behind letters that read as hexadecimal digits, such as `node:10.0.0.7`.
      .replace(/(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?/g, '…')
  );
}

/** With or without a port, and the punctuation of a sentence around it. One such as `::1` begins or ends with its own. */
function isAddress(part: string): boolean {
  return [part, part.replace(/^[.:]/, ''), part.replace(/^[.:]+/, '')]
    .flatMap((each) => [each, each.replace(/[.:]$/, ''), each.replace(/[.:]+$/, '')])
    .some((each) => isIP(each) !== 0 || isIP(each.replace(/:\d+$/, '')) !== 0);
}
