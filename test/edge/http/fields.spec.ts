import type { ArgumentMetadata } from '@nestjs/common';
import {
  IsEmail,
  IsInt,
  IsNotEmpty,
  IsOptional,
  IsUUID,
  MaxLength,
  MinLength,
  ValidateBy,
  ValidateNested,
} from 'class-validator';
import { Type } from 'class-transformer';
import { InvalidRequest } from '../../../src/kernel/errors.js';
import {
  AnyOf,
  AtLeastOneOf,
  EmailAddress,
  EpochSeconds,
  ExactlyOneOf,
  Flag,
  HttpUrl,
  IdOf,
  JsonObject,
  ListOf,
  MinutesWithin,
  Nested,
  OneOf,
  PhoneNumber,
  Text,
  Token,
  WholeNumber,
} from '../../../src/edge/http/fields.js';
import { ValidationPipe } from '../../../src/edge/http/validation.pipe.js';
import { processorMsOf } from '../../support/processor-time.js';

const pipe = new ValidationPipe();

function read<T>(model: new () => T, value: unknown, type: ArgumentMetadata['type'] = 'body'): T {
  return pipe.transform(value, { type, metatype: model }) as T;
}

function faultsOf(model: new () => object, value: unknown, type?: ArgumentMetadata['type']) {
  try {
    read(model, value, type);
  } catch (error) {
    if (error instanceof InvalidRequest) return error.fields.map(({ field, rule }) => `${field}: ${rule}`);
    throw error;
  }
  return [];
}

/** A class of one field `x`. */
function modelOf(decorator: PropertyDecorator): new () => { x: unknown } {
  class Model {
    x: unknown;
  }
  decorator(Model.prototype, 'x');
  return Model;
}

describe('reading a request class', () => {
  class Address {
    @EmailAddress() readonly email: string;
    @Text({ optional: true }) readonly note?: string;
  }
  class SessionArguments {
    @WholeNumber({ min: 5, max: 525_600, optional: true }) readonly session_expires_in?: number;
    @Token({ optional: true }) readonly session_token?: string;
  }
  class CreateThing extends SessionArguments {
    @Text({ max: 5 }) readonly name: string;
    @Nested(() => Address, { optional: true }) readonly address?: Address;
    @ListOf(Nested(() => Address), { optional: true, max: 3 }) readonly emails?: Address[];
    @WholeNumber({ min: 10, max: 100 }) readonly limit: number = 50;
  }

  it('keeps declared fields, inherited and nested, and drops all others', () => {
    const thing = read(CreateThing, {
      name: 'Ann',
      session_expires_in: '30',
      address: { email: ' ann@example.com ', verified: true },
      emails: [{ email: 'a@b.example' }],
      app_id: 'app_x',
      status: 'active',
      toString: 'x',
      hasOwnProperty: 1,
    });
    expect(thing).toBeInstanceOf(CreateThing);
    expect(thing.address).toBeInstanceOf(Address);
    expect(JSON.parse(JSON.stringify(thing))).toEqual({
      name: 'Ann',
      session_expires_in: 30,
      address: { email: 'ann@example.com' },
      emails: [{ email: 'a@b.example' }],
      limit: 50,
    });
  });

  it('names every fault by its path, all at once', () => {
    const thing = {
      name: 'too long',
      address: { note: 7 },
      emails: [{ email: 'a@b.example' }, 3, null],
      limit: 9,
      session_token: '',
    };
    expect(faultsOf(CreateThing, thing)).toEqual([
      'name: too_long',
      'address.email: required',
      'address.note: type',
      'emails[1]: type',
      'emails[2]: null',
      'limit: min',
    ]);
  });

  it('takes no list for an object', () => {
    const address = { email: 'a@b.example' };
    for (const list of [[], [address], [[address]]]) {
      expect(faultsOf(CreateThing, { name: 'Ann', address: list, emails: [address, list] })).toEqual([
        'address: type',
        'emails[1]: type',
      ]);
    }
  });

  it('tells of the faults in items and of items that are none together', () => {
    expect(faultsOf(CreateThing, { name: 'Ann', emails: [{}, 'a@b.example', null] })).toEqual([
      'emails[0].email: required',
      'emails[1]: type',
      'emails[2]: null',
    ]);
  });

  it('says in one sentence what is wrong', () => {
    expect(() => read(CreateThing, {})).toThrow('name is required.');
    expect(() => read(CreateThing, { name: 1, limit: 'x' })).toThrow('name must be a string. (1 more in errors)');
  });

  it('reads a missing body as one without fields', () =>
    expect(faultsOf(CreateThing, undefined)).toEqual(['name: required']));

  it('takes null in an optional field for absent, and refuses it in any other', () => {
    expect(
      faultsOf(CreateThing, { name: null, address: null, emails: null, limit: null, session_token: null }),
    ).toEqual(['name: null']);
    expect(read(CreateThing, { name: 'Ann', limit: null })).toEqual(read(CreateThing, { name: 'Ann' }));
  });

  it('lets primitives and what has no class pass as they are', () => {
    expect(pipe.transform('user_1', { type: 'param', metatype: String })).toBe('user_1');
    expect(pipe.transform({ a: 1 }, { type: 'custom', metatype: CreateThing })).toEqual({ a: 1 });
  });

  it('passes nothing through a class without declared fields', () => {
    class Undeclared {
      readonly app_id: string;
    }
    expect(read(Undeclared, { app_id: 'app_x' }).app_id).toBeUndefined();
  });

  it('lets a subclass declare a field anew', () => {
    class Strict extends SessionArguments {
      @Token() declare readonly session_token: string;
    }
    expect(faultsOf(Strict, {})).toEqual(['session_token: required']);
    expect(faultsOf(SessionArguments, {})).toEqual([]);
  });

  it('is not confused by classes that share a parent', () => {
    class A extends SessionArguments {
      @Text() readonly a: string;
    }
    class B extends SessionArguments {
      @Text() readonly b: string;
    }
    expect(faultsOf(A, {})).toEqual(['a: required']);
    expect(faultsOf(B, {})).toEqual(['b: required']);
    expect(faultsOf(SessionArguments, {})).toEqual([]);
  });
});

const WRONG_FOR_TEXT: unknown[] = [1, true, {}, [], ['a'], [[]], { toString: 'x' }];

describe('text', () => {
  it.each(WRONG_FOR_TEXT)('refuses %j', (x) => {
    for (const decorator of [Text(), Token(), EmailAddress(), PhoneNumber(), HttpUrl(), IdOf('user'), OneOf(['a'])]) {
      expect(faultsOf(modelOf(decorator), { x })).toEqual(['x: type']);
    }
  });

  it('counts characters, not code units', () => {
    const Model = modelOf(Text({ min: 1, max: 3 }));
    expect(read(Model, { x: '😀😀😀' }).x).toBe('😀😀😀');
    expect(faultsOf(Model, { x: '😀😀😀😀' })).toEqual(['x: too_long']);
    expect(faultsOf(Model, { x: '' })).toEqual(['x: too_short']);
  });

  it('has 1,024 characters unless told', () => {
    expect(faultsOf(modelOf(Text()), { x: 'a'.repeat(1024) })).toEqual([]);
    expect(faultsOf(modelOf(Text()), { x: 'a'.repeat(1025) })).toEqual(['x: too_long']);
    expect(faultsOf(modelOf(Token()), { x: 'a'.repeat(8192) })).toEqual([]);
    expect(faultsOf(modelOf(Token()), { x: 'a'.repeat(8193) })).toEqual(['x: too_long']);
  });

  it('explains its pattern in words', () => {
    expect(() => read(modelOf(Text({ pattern: /^[0-9]{6}$/, patternName: 'six digits' })), { x: '12345' })).toThrow(
      'x must be six digits.',
    );
  });
});

describe('e-mail addresses', () => {
  const Model = modelOf(EmailAddress());
  it.each([
    'a@b.co',
    'Ann.Lee+tag@Example.COM',
    "o'neil@sub-domain.example.org",
    'x_y-z!#$%&*/=?^`{|}~@example.com',
    'jörg@bücher.example',
    'a@xn--bcher-kva.example',
    `${'a'.repeat(64)}@example.com`,
  ])('takes %s', (x) => expect(read(Model, { x }).x).toBe(x));
  it.each([
    '',
    'a',
    '@example.com',
    'a@',
    'a@localhost',
    'a@b@example.com',
    'Ann <ann@example.com>',
    'ann@example.com (work)',
    '"a b"@example.com',
    'a b@example.com',
    'a@exa mple.com',
    'a.@example.com',
    '.a@example.com',
    'a..b@example.com',
    'a@example..com',
    'a@.example.com',
    'a@example.com.',
    'a@-example.com',
    'a@example-.com',
    'a@[192.0.2.1]',
    'a@192.0.2.1',
    'a@b.co,c@d.co',
    'a@b.co;c@d.co',
    'a@b.co\nBcc: c@d.co',
    'a\u200b@example.com',
    'a@example。com',
    'a@exam_ple.com',
    'mailto:a@b.co@',
    'a\\@b.co',
    `${'a'.repeat(65)}@example.com`,
  ])('refuses %j', (x) => expect(faultsOf(Model, { x })).toHaveLength(1));
  it('has 254 characters at most and is quick about it', async () => {
    expect(faultsOf(Model, { x: `a@${'b'.repeat(248)}.com` })).toEqual([]);
    expect(faultsOf(Model, { x: `a@${'b'.repeat(249)}.com` })).toEqual(['x: too_long']);
    const hostile = [
      `a@${'a-'.repeat(120)}`,
      `a@${'a.'.repeat(120)}`,
      'a'.repeat(254),
      'a.'.repeat(127),
      `${' '.repeat(200_000)}a`,
    ];
    expect(await processorMsOf(() => hostile.forEach((x) => faultsOf(Model, { x })))).toBeLessThan(200);
  });
});

describe('phone numbers', () => {
  const Model = modelOf(PhoneNumber());
  it.each(['+4915112345678', '+12025550123', '+290123456'])('takes %s', (x) => expect(read(Model, { x }).x).toBe(x));
  it.each([
    '4915112345678',
    '+0123456789',
    '+49 151 12345678',
    '+49',
    '+1234567890123456',
    '+4915112345678;ext=1',
    '＋4915112345678',
    '+４９15112345678',
    '+4915112345678\n',
  ])('refuses %j', (x) => expect(faultsOf(Model, { x })).toHaveLength(1));
});

describe('URLs', () => {
  const Model = modelOf(HttpUrl());
  it.each([
    'https://app.example/login?next=%2F',
    'http://localhost:3000',
    'HTTPS://EXAMPLE.com/',
    'https://[2001:db8::1]/cb',
  ])('takes %s', (x) => expect(read(Model, { x }).x).toBe(x));
  it.each([
    '',
    '/login',
    '//app.example',
    'app.example',
    'javascript:alert(1)',
    'ftp://a.example',
    'https://',
    'https:app.example',
    'https:\\\\a.example',
    'https://a.example\\@b.example',
    ' https://a.example',
    'https://a.ex\tample',
    'https://a b.example',
    'https://a.example/\n',
    'https://[::1',
    'https://a.example:99999',
  ])('refuses %j', (x) => expect(faultsOf(Model, { x })).toHaveLength(1));
  it('has 2,048 characters at most', () =>
    expect(faultsOf(Model, { x: `https://a.example/${'a'.repeat(2048)}` })).toEqual(['x: too_long']));
});

describe('ids', () => {
  it('takes those of its kinds and no others', () => {
    const suffix = '01jd3c4x5y6z7a8b9c0d1e2f3g';
    const Model = modelOf(IdOf(['email', 'phoneNumber']));
    expect(faultsOf(Model, { x: `email_${suffix}` })).toEqual([]);
    expect(faultsOf(Model, { x: `pn_${suffix}` })).toEqual([]);
    expect(faultsOf(Model, { x: `user_${suffix}` })).toEqual(['x: format']);
    for (const x of [
      '',
      'email_',
      `email_${suffix}0`,
      `email_${suffix.toUpperCase()}`,
      `email_${suffix}\n`,
      '../email',
    ])
      expect(faultsOf(Model, { x })).toHaveLength(1);
  });
});

describe('whole numbers', () => {
  const Model = modelOf(WholeNumber({ min: 5, max: 2160 }));
  it.each([
    [30, 30],
    ['30', 30],
    [5, 5],
    ['2160', 2160],
    [30.0, 30],
  ])('reads %j as %d', (x, number) => expect(read(Model, { x }).x).toBe(number));
  it.each([
    '30m',
    '30.5',
    '',
    '1e3',
    '+30',
    ' 30',
    '30 ',
    '0x1e',
    '030',
    '３０',
    'NaN',
    '30\n',
    30.5,
    Number.NaN,
    Infinity,
    true,
    false,
    [],
    [30],
    {},
    '9'.repeat(30),
    '9'.repeat(10_000),
  ])('refuses %j as no whole number', (x) => expect(faultsOf(Model, { x })).toEqual(['x: type']));
  it('keeps to its bounds', () => {
    expect(faultsOf(Model, { x: 4 })).toEqual(['x: min']);
    expect(faultsOf(Model, { x: '2161' })).toEqual(['x: max']);
    expect(faultsOf(modelOf(WholeNumber()), { x: 2 ** 53 })).toEqual(['x: type']);
    expect(read(modelOf(WholeNumber()), { x: '-12' }).x).toBe(-12);
    expect(faultsOf(modelOf(MinutesWithin({ min: 1, max: 10 })), { x: 11 })).toEqual(['x: max']);
  });
});

describe('the other kinds', () => {
  it('reads flags, which are words only in a query', () => {
    const Model = modelOf(Flag());
    expect(read(Model, { x: false }).x).toBe(false);
    expect(read(Model, { x: 'true' }, 'query').x).toBe(true);
    expect(read(Model, { x: 'false' }, 'query').x).toBe(false);
    for (const x of ['true', 1, 0, '', {}, []]) expect(faultsOf(Model, { x })).toEqual(['x: type']);
    for (const x of ['1', 'True', 'TRUE']) expect(read(Model, { x }, 'query').x).toBe(true);
    for (const x of ['0', 'False']) expect(read(Model, { x }, 'query').x).toBe(false);
    for (const x of ['2', 'yes', 'on', '']) expect(faultsOf(Model, { x }, 'query')).toEqual(['x: type']);
  });

  it('reads one of a few words, by any spelling it knows', () => {
    const Model = modelOf(OneOf(['ethereum', 'solana'], { aliases: { ETH: 'ethereum' } }));
    expect(read(Model, { x: 'solana' }).x).toBe('solana');
    expect(read(Model, { x: 'ETH' }).x).toBe('ethereum');
    for (const x of ['', 'Ethereum', 'constructor', '__proto__', 'toString'])
      expect(faultsOf(Model, { x })).toEqual(['x: one_of']);
  });

  it('reads epoch seconds as a date', () => {
    const Model = modelOf(EpochSeconds());
    expect(read(Model, { x: 1_700_000_000 }).x).toEqual(new Date('2023-11-14T22:13:20Z'));
    expect(faultsOf(Model, { x: 1_700_000_000_000 })).toEqual(['x: max']);
    expect(faultsOf(Model, { x: -1 })).toEqual(['x: min']);
  });

  it('reads lists within their bounds', () => {
    const Model = modelOf(ListOf(HttpUrl(), { min: 1, max: 2 }));
    expect(read(Model, { x: ['https://a.example'] }).x).toEqual(['https://a.example']);
    expect(faultsOf(Model, { x: [] })).toEqual(['x: too_few']);
    expect(faultsOf(Model, { x: ['a', 'b', 'c'] })).toEqual(['x: too_many']);
    expect(faultsOf(Model, { x: ['https://a.example', 'b'] })).toEqual(['x[1]: format']);
    expect(faultsOf(Model, { x: { 0: 'https://a.example', length: 1 } })).toEqual(['x: type']);
  });

  it('reads objects of any content, and one of several kinds', () => {
    const json = { a: [1], toString: 'x', valueOf: null, length: 1 };
    expect(read(modelOf(JsonObject()), { x: json }).x).toEqual(json);
    for (const x of [[], 'a', 1]) expect(faultsOf(modelOf(JsonObject()), { x })).toEqual(['x: type']);
    const Scalar = modelOf(AnyOf([Text({ max: 5 }), WholeNumber(), Flag()]));
    for (const x of ['a', 7, true]) expect(read(Scalar, { x }).x).toBe(x);
    for (const x of ['longer', 1.5, [], {}]) expect(faultsOf(Scalar, { x })).toEqual(['x: type']);
  });
});

describe('groups of fields', () => {
  @ExactlyOneOf('session_token', 'session_jwt')
  @AtLeastOneOf('email', 'phone_number')
  class Model {
    @Text({ optional: true }) readonly session_token?: string;
    @Text({ optional: true }) readonly session_jwt?: string;
    @Text({ optional: true }) readonly email?: string;
    @Text({ optional: true }) readonly phone_number?: string;
  }
  it('asks for exactly one, or for at least one', () => {
    expect(faultsOf(Model, { session_token: 'a', email: 'b', phone_number: 'c' })).toEqual([]);
    expect(faultsOf(Model, { session_token: 'a', session_jwt: 'b', email: 'c' })).toEqual([
      'session_token: exactly_one_of',
    ]);
    expect(faultsOf(Model, {})).toEqual(['email: at_least_one_of', 'session_token: exactly_one_of']);
  });
  it('holds for classes that inherit, with what they add', () => {
    @ExactlyOneOf('email', 'phone_number')
    class Other extends Model {}
    expect(faultsOf(Other, { session_jwt: 'a', email: 'b', phone_number: 'c' })).toEqual(['email: exactly_one_of']);
    class Child extends Model {}
    expect(faultsOf(Child, { email: 'b' })).toEqual(['session_token: exactly_one_of']);
  });
});

describe('plain decorators of class-validator and class-transformer', () => {
  class Owner {
    @IsEmail() readonly email: string;
  }
  class Model {
    @IsNotEmpty() @MaxLength(5) readonly name: string;
    @IsOptional() @IsInt() readonly age?: number;
    @Type(() => Owner) @ValidateNested() readonly owner: Owner;
    @Type(() => Owner) @ValidateNested({ each: true }) readonly friends: Owner[];
    @IsUUID(undefined, { each: true }) readonly keys: string[];
    @Text({ optional: true }) @MinLength(3) readonly note?: string;
    @ValidateBy({ name: 'checkSum', validator: { validate: (value) => value === 7 } }, { message: 'must add up' })
    readonly sum: number;
  }
  const right = {
    name: 'Ann',
    owner: { email: 'a@b.co' },
    friends: [{ email: 'c@d.co' }],
    keys: ['d3b07384-d113-4ec6-a5d8-5a7c2b9e8f10'],
    sum: 7,
  };

  it('are honoured, on fields of their own and beside ours', () => {
    const model = read(Model, { ...right, role: 'admin', owner: { ...right.owner, role: 'admin' } });
    expect({ ...model, owner: { ...model.owner } }).toEqual({ ...right, age: undefined, note: undefined });
    expect(model.friends[0]).toBeInstanceOf(Owner);
  });

  it('refuse by the same stable codes and paths', () => {
    const wrong = {
      name: 'too long',
      age: '7',
      owner: { email: 'a' },
      friends: [{ email: 'c@d.co' }, {}, 7],
      keys: [right.keys[0], 'x', null],
      note: 'ab',
      sum: 8,
    };
    expect(faultsOf(Model, wrong)).toEqual([
      'name: too_long',
      'age: type',
      'owner.email: format',
      'friends[1].email: required',
      'friends[2]: type',
      'keys[1]: format',
      'keys[2]: null',
      'note: too_short',
      'sum: check_sum',
    ]);
    expect(faultsOf(Model, {})).toEqual(['name: required', 'keys: required', 'sum: required']);
  });

  it('speak in sentences that begin with the path', () => {
    expect(() => read(Model, { ...right, owner: { email: 'a' } })).toThrow('owner.email must be an email.');
    expect(() => read(Model, { ...right, keys: ['x'] })).toThrow('keys[0] must be a UUID.');
  });
});
