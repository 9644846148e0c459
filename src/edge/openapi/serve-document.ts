import type { NestExpressApplication } from '@nestjs/platform-express';
import { type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../root.js';

/** Serves the committed document at /openapi.json and Swagger UI at /docs. */
export function serveDocument(app: NestExpressApplication): void {
  const file = join(ROOT, 'openapi', 'openapi.json');
  if (!existsSync(file)) return;
  const text = readFileSync(file, 'utf8');
  const http = app.getHttpAdapter().getInstance();
  http.get('/openapi.json', (_request, response) => {
    response.setHeader('Cache-Control', 'public, max-age=300');
    response.type('application/json').send(text);
  });
  SwaggerModule.setup('docs', app, JSON.parse(text) as OpenAPIObject, {
    raw: false,
    customSiteTitle: 'Identity and wallets',
    swaggerOptions: {
      persistAuthorization: true,
      displayRequestDuration: true,
      tryItOutEnabled: true,
      docExpansion: 'list',
    },
  });
}
