import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../services/root.js';

const STYLE =
  ':root{color-scheme:light dark;background:light-dark(#f7f7f5,#121316);color:light-dark(#17181b,#eceef1)}body{font:16px/1.5 system-ui,sans-serif;max-width:50rem;margin:3rem auto;padding:0 1rem}' +
  'td,th{text-align:left;padding:.3rem .8rem .3rem 0;vertical-align:top}code{background:#8882;padding:0 .25em;border-radius:3px}';

const PERMISSIONS = [
  'clipboard-write=(self)',
  'publickey-credentials-get=(self)',
  ...['camera', 'display-capture', 'geolocation', 'microphone', 'payment', 'usb'].map((feature) => `${feature}=()`),
].join(', ');

/** No page of another origin shares the window or embeds the page, and the page uses nothing of the device. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': PERMISSIONS,
};

/** Both arguments are HTML. */
export function htmlPage(title: string, body: string): string {
  return (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">' +
    `<title>${title}</title><style>${STYLE}</style></head><body><main>${body}</main></body></html>`
  );
}

const LOOK =
  '<link rel="icon" href="/guide/icon.svg"><link rel="stylesheet" href="/guide/look.css"><script src="/guide/search.js" defer></script>';

/** `here` is the link of the header that leads to the page, if one does; `head` and `body` are HTML. */
export function sitePage(page: { here: string; title: string; head?: string; body: string }): string {
  const header = readFileSync(join(ROOT, 'openapi', 'look', 'header.html'), 'utf8');
  return (
    '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width">\n' +
    `<meta name="color-scheme" content="light dark">\n<title>${page.title}</title>\n${LOOK}${page.head ?? ''}\n</head>\n` +
    `<body class="site-page">\n${header.replace(`href="${page.here}">`, `href="${page.here}" aria-current="page">`)}${page.body}\n</body>\n</html>\n`
  );
}
