import { Controller, createParamDecorator, Get, type INestApplication, Param, Post } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import type { Request } from 'express';
import { appendRequest, handlesPost } from '../../../src/edge/http/nest-internals.js';

const Given = createParamDecorator(() => 'given');

@Controller('things')
class ThingsController {
  @Get()
  list(): void {}

  @Post()
  create(...[request]: Request[]): string[] {
    return [request!.url];
  }

  @Post(':id')
  change(@Param('id') id: string, @Given() given: string, ...[request]: Request[]): string[] {
    return [id, given, request!.url];
  }
}
const { prototype } = ThingsController;
const indexes = ['create', 'change'].map((name) => appendRequest(prototype, name));

describe('the private parts of Nest that the service uses', () => {
  let app: INestApplication;

  beforeAll(async () => {
    app = (await Test.createTestingModule({ controllers: [ThingsController] }).compile()).createNestApplication();
    await app.listen(0, '127.0.0.1');
  });
  afterAll(() => app.close());

  it('know which handlers are those of POST routes', () => {
    expect([prototype.list, prototype.create, prototype.change].map(handlesPost)).toEqual([false, true, true]);
  });

  it('pass the request behind the declared parameters of a handler, also behind those of own decorators', async () => {
    const post = async (path: string) => (await fetch((await app.getUrl()) + path, { method: 'POST' })).json();
    expect(indexes).toEqual([0, 2]);
    expect(await post('/things')).toEqual(['/things']);
    expect(await post('/things/7')).toEqual(['7', 'given', '/things/7']);
  });
});
