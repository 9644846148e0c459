import { Controller, Get, Header, Param } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { NoCredential } from '../auth/credentials.js';
import { RouteNotFound } from './edge-errors.js';
import { errorCatalogue } from './error-catalogue.js';
import { titleOf } from './problem.filter.js';
import { STATUS } from './status.js';

/** The pages that the `type` of a problem refers to, generated from the error classes. */
@ApiExcludeController()
@Controller('errors')
export class ErrorPagesController {
  @Get()
  @Header('Content-Type', 'text/html; charset=utf-8')
  @NoCredential({ limited: false })
  index(): string {
    const rows = [...errorCatalogue().values()]
      .toSorted((a, b) => (a.code < b.code ? -1 : 1))
      .map(
        ({ code, help, kind }) =>
          `<tr><td>${statusOf(code, kind)}</td><td><a href="/errors/${code}">${code}</a></td><td>${html(help)}</td></tr>`,
      );
    return page('Error types', `<table><tr><th>Status</th><th>Type</th><th>Meaning</th></tr>${rows.join('')}</table>`);
  }

  @Get(':type')
  @Header('Content-Type', 'text/html; charset=utf-8')
  @NoCredential({ limited: false })
  one(@Param('type') type: string): string {
    const error = errorCatalogue().get(type);
    if (!error) throw new RouteNotFound();
    return page(
      titleOf(error.code),
      `<p><code>${error.code}</code> · status ${statusOf(error.code, error.kind)}</p><p>${html(error.help)}</p><p><a href="/errors">All error types</a></p>`,
    );
  }
}

function statusOf(code: string, kind: keyof typeof STATUS): number {
  return code === 'internal_error' ? 500 : STATUS[kind];
}

function html(text: string): string {
  return text
    .replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c] ?? c)
    .replace(/`([^`]*)`/g, '<code>$1</code>');
}

function page(title: string, body: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><style>body{font:16px/1.5 system-ui,sans-serif;max-width:50rem;margin:3rem auto;padding:0 1rem}td,th{text-align:left;padding:.3rem .8rem .3rem 0;vertical-align:top}code{background:#8882;padding:0 .25em;border-radius:3px}</style><h1>${title}</h1>${body}</html>`;
}
