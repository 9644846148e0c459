import { Body, Controller, Get, Module, Post, Query } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { AtLeastOneOf } from '../../../src/edge/http/at-least-one-of.js';
import { AnyOf, ListOf, Nested } from '../../../src/edge/http/compound-fields.js';
import { EmailAddress, Flag, IdOf, MinutesWithin, OneOf, Text, WholeNumber } from '../../../src/edge/http/fields.js';

class Part {
  @EmailAddress() readonly email!: string;
}

@AtLeastOneOf('session_token', 'session_jwt')
class Thing {
  @Text({ min: 1, max: 256, example: 'Ann', description: 'A name.' }) readonly name!: string;
  @Text({ pattern: /^[0-9]{6}$/, optional: true }) readonly otp?: string;
  @MinutesWithin({ min: 5, max: 2160 }) readonly expires_in: number = 30;
  @OneOf(['ethereum', 'solana'], { optional: true, aliases: { ETH: 'ethereum' } }) readonly wallet_type?: string;
  @Flag({ optional: true, nullable: true }) readonly verified?: boolean | null;
  @IdOf('user') readonly user_id!: string;
  @Nested(() => Part, { optional: true }) readonly part?: Part;
  @ListOf(Nested(() => Part), { min: 1, max: 5 }) readonly parts!: Part[];
  @ListOf(OneOf(['a', 'b']), { max: 2, optional: true }) readonly words?: string[];
  @AnyOf([Text(), Flag()], { optional: true }) readonly value?: string | boolean;
  @Text({ optional: true }) readonly session_token?: string;
  @Text({ optional: true }) readonly session_jwt?: string;
}

class Filter {
  @IdOf('user') readonly user_id!: string;
  @WholeNumber({ min: 1, max: 1000, unit: 'items' }) readonly limit: number = 1000;
}

@Controller()
class ThingController {
  @Post()
  create(@Body() thing: Thing): Thing {
    return thing;
  }
  @Get()
  list(@Query() filter: Filter): Filter {
    return filter;
  }
}

@Module({ controllers: [ThingController] })
class ThingModule {}

describe('the OpenAPI schema of a request class', () => {
  it('states what its decorators check', async () => {
    const app = await NestFactory.create(ThingModule, { logger: false });
    const document = SwaggerModule.createDocument(app, new DocumentBuilder().build());
    const email = { type: 'string', format: 'email', maxLength: 254 };
    expect(document.components?.schemas?.['Part']).toEqual({
      type: 'object',
      properties: { email },
      required: ['email'],
    });
    expect(document.components?.schemas?.['Thing']).toEqual({
      type: 'object',
      required: ['name', 'user_id', 'parts'],
      allOf: [
        {
          anyOf: [
            { title: 'With session_token', required: ['session_token'] },
            { title: 'With session_jwt', required: ['session_jwt'] },
          ],
        },
      ],
      properties: {
        name: { type: 'string', minLength: 1, maxLength: 256, example: 'Ann', description: 'A name.' },
        otp: { type: 'string', maxLength: 1024, pattern: '^[0-9]{6}$' },
        expires_in: { type: 'integer', minimum: 5, maximum: 2160, default: 30 },
        wallet_type: { type: 'string', enum: ['ethereum', 'solana'] },
        verified: { type: 'boolean', nullable: true },
        user_id: { type: 'string', pattern: '^user_[0-9a-hjkmnp-tv-z]{26}$' },
        part: { $ref: '#/components/schemas/Part' },
        parts: { type: 'array', minItems: 1, maxItems: 5, items: { $ref: '#/components/schemas/Part' } },
        words: { type: 'array', maxItems: 2, items: { type: 'string', enum: ['a', 'b'] } },
        value: { anyOf: [{ type: 'string', maxLength: 1024 }, { type: 'boolean' }] },
        session_token: { type: 'string', maxLength: 1024 },
        session_jwt: { type: 'string', maxLength: 1024 },
      },
    });
    expect(document.paths['/']?.get?.parameters).toEqual([
      {
        name: 'user_id',
        in: 'query',
        required: true,
        schema: { type: 'string', pattern: '^user_[0-9a-hjkmnp-tv-z]{26}$' },
      },
      {
        name: 'limit',
        in: 'query',
        required: false,
        schema: { type: 'integer', minimum: 1, maximum: 1000, default: 1000 },
      },
    ]);
  });
});
