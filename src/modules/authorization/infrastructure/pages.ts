import type { KoaContext } from 'oidc-provider';

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

function page(ctx: KoaContext, title: string, content: string): void {
  ctx.type = 'html';
  ctx.body = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>
<style>:root{color-scheme:light dark;background:light-dark(#f7f7f5,#121316);color:light-dark(#17181b,#eceef1)}body{font:1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:4rem auto;padding:0 1rem}</style></head><body><main><h1>${title}</h1>${content}</main></body></html>`;
}

export function noticePage(ctx: KoaContext, title: string, text: string): void {
  page(ctx, title, `<p>${escaped(text)}</p>`);
}

/** `form` comes from the library and proves that this page was shown. */
export function logoutPage(ctx: KoaContext, form: string): void {
  page(
    ctx,
    'Sign out?',
    `<p>A program asks to sign you out.</p>${form}<button type="submit" form="op.logoutForm" name="logout" value="yes">Sign out</button>
     <button type="submit" form="op.logoutForm">Stay signed in</button>`,
  );
}
