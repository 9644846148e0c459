import { NestFactory } from '@nestjs/core';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppModule } from './app.module.js';
import { Config } from './services/config/config.js';
import { createLogger } from './services/observability/logger.js';
import { buildDocument } from './edge/openapi/document.js';
import { ROOT } from './services/root.js';

// Writes openapi/openapi.json or the file in the first argument. Preview mode creates no instances, so it needs no database.
const file = process.argv[2] ?? join(ROOT, 'openapi', 'openapi.json');
const config = Config.read({});
const app = await NestFactory.create(
  AppModule.with({ config, databaseUrl: 'postgres://none', logger: createLogger('silent') }),
  {
    preview: true,
    logger: false,
  },
);
writeFileSync(file, `${JSON.stringify(buildDocument(app), null, 2)}\n`);
