import { applyDecorators, Controller, Get, Header, Param, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { escapeHtml } from '../../services/mail/words.js';
import { NoCredential } from '../auth/credentials.js';
import { basePathOf, htmlBelow } from '../http/base-path.js';
import { RouteNotFound } from '../errors/edge-errors.js';
import { errorCatalogue } from '../errors/error-catalogue.js';
import { PAGE_HEADERS, sitePage } from './html-page.js';
import { pagePolicy, setPageHeaders } from './static-file.js';
import { titleOf, STATUS } from '../errors/problem.js';
import { Config } from '../../services/config/config.js';

const POLICY = pagePolicy("style-src 'self'", "img-src 'self'");

/** The response is a page. */
const Page = (): MethodDecorator =>
  applyDecorators(
    ...Object.entries({
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': POLICY,
      ...PAGE_HEADERS,
    }).map(([name, value]) => Header(name, value)),
  );

/** The pages that the `type` of a problem refers to, generated from the error classes. */
@ApiExcludeController()
@Controller('errors')
export class ErrorPagesController {
  constructor(private readonly config: Config) {}

  @Get()
  @Page()
  @NoCredential('unlimited')
  index(): string {
    const rows = [...errorCatalogue().values()]
      .toSorted((a, b) => (a.code < b.code ? -1 : 1))
      .map(
        ({ code, help, kind }) =>
          `<tr><td>${STATUS[kind]}</td><td><a href="/errors/${code}">${code}</a></td><td>${html(help)}</td></tr>`,
      );
    return this.page(
      'Error types',
      `<h1>Error types</h1><table><tr><th>Status</th><th>Type</th><th>Meaning</th></tr>${rows.join('')}</table>`,
    );
  }

  @Get(':type')
  @Page()
  @NoCredential('unlimited')
  one(@Param('type') type: string): string {
    const error = errorCatalogue().get(type);
    if (!error) throw new RouteNotFound();
    return this.page(
      titleOf(error.code),
      `<h1>${titleOf(error.code)}</h1><p><code>${error.code}</code> · status ${STATUS[error.kind]}</p><p>${html(error.help)}</p><p><a href="/errors">All error types</a></p>`,
    );
  }

  private page(title: string, body: string): string {
    const page = sitePage({ here: '', title, body: `<main class="text">${body}</main>` });
    return htmlBelow(basePathOf(this.config.baseUrl), page);
  }
}

function html(text: string): string {
  return escapeHtml(text).replace(/`([^`]*)`/g, '<code>$1</code>');
}

const BODY =
  '<main class="text"><h1>Identity and wallets</h1><p>This is a REST service: programs call it with a key.</p>' +
  '<p><a href="/openapi.json">OpenAPI document</a> · <a href="/errors">Error types</a></p></main>';

/** `GET /` redirects to the documentation in development; in production it returns a page about the service. */
@ApiExcludeController()
@Controller()
export class StartPageController {
  constructor(private readonly config: Config) {}

  @Get()
  @NoCredential('unlimited')
  start(@Res() response: Response): void {
    const path = basePathOf(this.config.baseUrl);
    const page = htmlBelow(path, sitePage({ here: '', title: 'Identity and wallets', body: BODY }));
    if (this.config.isProduction) {
      setPageHeaders(response, POLICY);
      response.type('html').send(page);
    } else response.status(302).setHeader('Location', `${path}/docs`).end();
  }
}
