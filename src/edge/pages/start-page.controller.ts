import { Controller, Get, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { Config } from '../../services/config/config.js';
import { NoCredential } from '../auth/credentials.js';
import { page } from './html-page.js';

const BODY =
  '<h1>Identity and wallets</h1><p>This is a REST service: programs call it with a key.</p>' +
  '<p><a href="/docs">Documentation</a> · <a href="/openapi.json">OpenAPI document</a> · <a href="/errors">Error types</a></p>';

/** `GET /` redirects to the documentation in development; in production it returns a page about the service. */
@ApiExcludeController()
@Controller()
export class StartPageController {
  constructor(private readonly config: Config) {}

  @Get()
  @NoCredential('pages')
  start(@Res() response: Response): void {
    if (this.config.isProduction) response.type('html').send(page('Identity and wallets', BODY));
    else response.status(302).setHeader('Location', '/docs').end();
  }
}
