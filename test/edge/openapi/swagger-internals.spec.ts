import { Controller, Get } from '@nestjs/common';
import type { INestApplication } from '@nestjs/common';
import { ApiOkResponse, DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { Test } from '@nestjs/testing';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EnumValues } from '../../../src/edge/openapi/plugin-schemas.js';

/** As the compiler plugin, which does not run in tests, leaves a class. */
class Described {
  readonly id!: string;
  readonly status!: string;
  static _OPENAPI_METADATA_FACTORY(): Record<string, object> {
    return {
      id: { required: true, type: () => String },
      status: { required: true, type: () => String, description: 'Its status.' },
    };
  }
}
EnumValues(['pending', 'active'])(Described.prototype, 'status');

class Bare {
  @EnumValues(['pending'])
  readonly status!: string;
}

@Controller('things')
class ThingsController {
  @Get()
  @ApiOkResponse({ type: Described })
  list(): Described[] {
    return [];
  }
}

describe('the private parts of @nestjs/swagger that the service uses', () => {
  let app: INestApplication;
  let document: ReturnType<typeof SwaggerModule.createDocument>;

  beforeAll(async () => {
    app = (await Test.createTestingModule({ controllers: [ThingsController] }).compile()).createNestApplication();
    document = SwaggerModule.createDocument(app, new DocumentBuilder().build());
  });
  afterAll(() => app.close());

  it('shows the values of a field in the given order, and leaves the other properties as the plugin describes them', () => {
    expect(document.components!.schemas!['Described']).toEqual({
      type: 'object',
      properties: {
        id: { type: 'string' },
        status: { type: 'string', description: 'Its status.', enum: ['pending', 'active'] },
      },
      required: ['id', 'status'],
    });
  });

  it('changes nothing of a class without a description of the plugin', () => {
    expect(Object.getOwnPropertyNames(Bare)).not.toContain('_OPENAPI_METADATA_FACTORY');
  });

  it('uses the name under which the plugin describes a class', () => {
    const file = join(__dirname, '../../../node_modules/@nestjs/swagger/dist/plugin/plugin-constants.js');
    expect(readFileSync(file, 'utf8')).toContain(`METADATA_FACTORY_NAME = '_OPENAPI_METADATA_FACTORY'`);
  });
});
