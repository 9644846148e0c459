import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const LOOKED_AT = 20;

/** `since` is in milliseconds. Without a mail server the service writes mails to files. */
export async function codeInOutbox(dataDir: string, email: string, since: number): Promise<string | null> {
  const outbox = join(dataDir, 'outbox');
  const names = (await readdir(outbox).catch(() => [])).filter((name) => name.endsWith('.eml'));
  for (const name of names.sort().reverse().slice(0, LOOKED_AT)) {
    const at = Date.parse(name.replace(/^([^T]+T\d\d)-(\d\d)-([\d.]+Z).*$/, '$1:$2:$3'));
    if (at < since) return null;
    const mail = await readFile(join(outbox, name), 'utf8');
    const to = /^To: .*?([^\s<>]+@[^\s<>]+?)>?\r?$/m.exec(mail)?.[1];
    const text = mail.slice(mail.indexOf('\r\n\r\n'));
    if (to?.toLowerCase() === email.toLowerCase()) return /\b\d{6}\b/.exec(text)?.[0] ?? null;
  }
  return null;
}
