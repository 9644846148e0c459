import { Controller, Get, Header, Param } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { escapeHtml } from '../../services/mail/words.js';
import { NoCredential } from '../auth/credentials.js';
import { RouteNotFound } from '../http/edge-errors.js';
import { errorCatalogue } from '../errors/error-catalogue.js';
import { page } from './html-page.js';
import { titleOf } from '../errors/problem.js';
import { STATUS } from '../errors/status.js';

/** The pages that the `type` of a problem refers to, generated from the error classes. */
@ApiExcludeController()
@Controller('errors')
export class ErrorPagesController {
  @Get()
  @Header('Content-Type', 'text/html; charset=utf-8')
  @NoCredential('pages')
  index(): string {
    const rows = [...errorCatalogue().values()]
      .toSorted((a, b) => (a.code < b.code ? -1 : 1))
      .map(
        ({ code, help, kind }) =>
          `<tr><td>${STATUS[kind]}</td><td><a href="/errors/${code}">${code}</a></td><td>${html(help)}</td></tr>`,
      );
    return page(
      'Error types',
      `<h1>Error types</h1><table><tr><th>Status</th><th>Type</th><th>Meaning</th></tr>${rows.join('')}</table>`,
    );
  }

  @Get(':type')
  @Header('Content-Type', 'text/html; charset=utf-8')
  @NoCredential('pages')
  one(@Param('type') type: string): string {
    const error = errorCatalogue().get(type);
    if (!error) throw new RouteNotFound();
    return page(
      titleOf(error.code),
      `<h1>${titleOf(error.code)}</h1><p><code>${error.code}</code> · status ${STATUS[error.kind]}</p><p>${html(error.help)}</p><p><a href="/errors">All error types</a></p>`,
    );
  }
}

function html(text: string): string {
  return escapeHtml(text).replace(/`([^`]*)`/g, '<code>$1</code>');
}
