import { All, Controller, Delete, Get, Post } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Test } from '@nestjs/testing';
import { findRoutesByBeginning, methodsAt } from '../../../src/edge/http/express-internals.js';

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

@Controller('v1/things')
class DeepController {
  @Get()
  list(): string {
    return 'list';
  }

  @Get('named')
  named(): string {
    return 'named';
  }

  @Get(':id')
  one(): string {
    return 'one';
  }

  @Post(':id/parts/:part')
  part(): string {
    return 'part';
  }
}

@Controller(':first/:second')
class AnyController {
  @Get(':third')
  any(): string {
    return 'any';
  }
}

interface Compared {
  readonly route?: { readonly path: string };
  match(path: string): unknown;
}

describe('routes that are found by the beginning of the path', () => {
  let app: NestExpressApplication;
  let url: string;
  const compared: string[] = [];

  beforeAll(async () => {
    const controllers = [OpenController, DeepController, AnyController];
    app = (await Test.createTestingModule({ controllers }).compile()).createNestApplication<NestExpressApplication>();
    await app.init();
    const { router } = app.getHttpAdapter().getInstance() as unknown as { router: { stack: Compared[] } };
    for (const layer of router.stack) {
      const { match } = layer;
      layer.match = (path) => {
        if (layer.route) compared.push(layer.route.path);
        return match.call(layer, path);
      };
    }
    findRoutesByBeginning(app);
    await app.listen(0, '127.0.0.1');
    url = await app.getUrl();
  });
  afterAll(() => app.close());

  it.each([
    ['GET', '/v1/things', 'list'],
    ['GET', '/v1/things?named', 'list'],
    ['GET', '/v1/things/', 'list'],
    ['GET', '/v1/things/named', 'named'],
    ['GET', '/V1/Things/Named', 'named'],
    ['GET', '/v1/things/%6eamed', 'one'],
    ['GET', '/v1/things/7', 'one'],
    ['POST', '/v1/things/7/parts/1', 'part'],
    ['GET', '/v1/others/7', 'any'],
    ['GET', '/v2/things/7', 'any'],
  ])('%s %s is served as before', async (method, path, body) => {
    const response = await fetch(url + path, { method });
    expect([response.status >= 300, await response.text()]).toEqual([false, body]);
  });

  it('are not compared with a path that begins otherwise', async () => {
    compared.length = 0;
    await fetch(`${url}/v1/things/named`);
    expect(compared).toEqual(['/v1/things', '/v1/things/named']);
  });

  it('leave an unknown path to the refusal', async () => {
    expect((await fetch(`${url}/v1/things/7/parts`)).status).toBe(404);
    expect((await fetch(`${url}/unknown`)).status).toBe(404);
  });
});
