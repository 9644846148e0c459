import { All, Controller, Delete, Get, Post } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Test } from '@nestjs/testing';
import { methodsAt } from '../../../src/edge/http/express-internals.js';

@Controller('things')
class ThingsController {
  @Get()
  list(): string[] {
    return [];
  }

  @Post(':id')
  change(): string {
    return '';
  }

  @Delete(':id')
  remove(): string {
    return '';
  }

  @Post('named')
  name(): string {
    return '';
  }
}

@Controller('open')
class OpenController {
  @All()
  any(): string {
    return '';
  }
}

describe('the private parts of Express that the service uses', () => {
  let app: NestExpressApplication;

  beforeAll(async () => {
    const controllers = [ThingsController, OpenController];
    app = (await Test.createTestingModule({ controllers }).compile()).createNestApplication<NestExpressApplication>();
    app.use((_request: unknown, _response: unknown, next: () => void) => next());
    await app.init();
  });
  afterAll(() => app.close());

  it('lists the methods of all routes that match a path, sorted, and HEAD beside GET', () => {
    expect(methodsAt(app, '/things')).toEqual(['GET', 'HEAD']);
    expect(methodsAt(app, '/things/1')).toEqual(['DELETE', 'POST']);
  });

  it('lists at a fixed path only the methods of its own routes, not those of a route that takes it as a parameter', () => {
    expect(methodsAt(app, '/things/named')).toEqual(['POST']);
  });

  it('lists none for an unknown path, although a middleware matches it', () => {
    expect(methodsAt(app, '/unknown')).toEqual([]);
    expect(methodsAt(app, '/things/1/2')).toEqual([]);
  });

  it('lists every method of a route for all', () => {
    expect(methodsAt(app, '/open')).toEqual(expect.arrayContaining(['DELETE', 'GET', 'HEAD', 'PATCH', 'POST', 'PUT']));
  });
});
