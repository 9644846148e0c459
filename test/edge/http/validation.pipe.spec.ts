import { Type } from 'class-transformer';
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
import { ListOf, Nested } from '../../../src/edge/http/compound-fields.js';
import { EmailAddress, Text, Token, WholeNumber } from '../../../src/edge/http/fields.js';
import { ValidationPipe } from '../../../src/edge/http/validation.pipe.js';
import { faultsOf, read } from './request-classes.js';

describe('the validation pipe', () => {
  class Address {
    @EmailAddress() readonly email!: string;
    @Text({ optional: true }) readonly note?: string;
  }
  class SessionArguments {
    @WholeNumber({ min: 5, max: 525_600, unit: 'minutes', optional: true }) readonly session_expires_in?: number;
    @Token({ optional: true }) readonly session_token?: string;
  }
  class CreateThing extends SessionArguments {
    @Text({ max: 5 }) readonly name!: string;
    @Nested(() => Address, { optional: true }) readonly address?: Address;
    @ListOf(Nested(() => Address), { optional: true, max: 3 }) readonly emails?: Address[];
    @WholeNumber({ min: 10, max: 100, unit: 'users' }) readonly limit: number = 50;
  }

  it('keeps declared fields, inherited and nested, and drops the rest', () => {
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

  it('reports the errors of all fields together, each under its path', () => {
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

  it('refuses a list in place of an object', () => {
    const address = { email: 'a@b.example' };
    for (const list of [[], [address], [[address]]]) {
      expect(faultsOf(CreateThing, { name: 'Ann', address: list, emails: [address, list] })).toEqual([
        'address: type',
        'emails[1]: type',
      ]);
    }
  });

  it('reports errors inside items and items of a wrong type together', () => {
    expect(faultsOf(CreateThing, { name: 'Ann', emails: [{}, 'a@b.example', null] })).toEqual([
      'emails[0].email: required',
      'emails[1]: type',
      'emails[2]: null',
    ]);
  });

  it('summarises the errors in one sentence', () => {
    expect(() => read(CreateThing, {})).toThrow('name is required.');
    expect(() => read(CreateThing, { name: 1, limit: 'x' })).toThrow('name must be a string. (1 more in errors)');
  });

  it('reports a missing body by the required fields that it lacks', () =>
    expect(faultsOf(CreateThing, undefined)).toEqual(['name: required']));

  it('treats null in an optional field as absent and refuses it in a required field', () => {
    expect(
      faultsOf(CreateThing, { name: null, address: null, emails: null, limit: null, session_token: null }),
    ).toEqual(['name: null']);
    expect(read(CreateThing, { name: 'Ann', limit: null })).toEqual(read(CreateThing, { name: 'Ann' }));
  });

  it('passes primitives and values without a request class on unchanged', () => {
    expect(new ValidationPipe().transform('user_1', { type: 'param', metatype: String })).toBe('user_1');
    expect(new ValidationPipe().transform({ a: 1 }, { type: 'custom', metatype: CreateThing })).toEqual({ a: 1 });
  });

  it('drops every field of a class without constraints', () => {
    class Undeclared {
      readonly app_id!: string;
    }
    expect(read(Undeclared, { app_id: 'app_x' }).app_id).toBeUndefined();
  });

  it('lets a subclass redeclare a field', () => {
    class Strict extends SessionArguments {
      @Token() declare readonly session_token: string;
    }
    expect(faultsOf(Strict, {})).toEqual(['session_token: required']);
    expect(faultsOf(SessionArguments, {})).toEqual([]);
  });

  it('keeps the fields of classes with a common parent apart', () => {
    class A extends SessionArguments {
      @Text() readonly a!: string;
    }
    class B extends SessionArguments {
      @Text() readonly b!: string;
    }
    expect(faultsOf(A, {})).toEqual(['a: required']);
    expect(faultsOf(B, {})).toEqual(['b: required']);
    expect(faultsOf(SessionArguments, {})).toEqual([]);
  });
});

describe('plain decorators of class-validator and class-transformer', () => {
  class Owner {
    @IsEmail() readonly email!: string;
  }
  class Model {
    @IsNotEmpty() @MaxLength(5) readonly name!: string;
    @IsOptional() @IsInt() readonly age?: number;
    @Type(() => Owner) @ValidateNested() readonly owner!: Owner;
    @Type(() => Owner) @ValidateNested({ each: true }) readonly friends!: Owner[];
    @IsUUID(undefined, { each: true }) readonly keys!: string[];
    @Text({ optional: true }) @MinLength(3) readonly note?: string;
    @ValidateBy({ name: 'checkSum', validator: { validate: (value) => value === 7 } }, { message: 'must add up' })
    readonly sum!: number;
  }
  const right = {
    name: 'Ann',
    owner: { email: 'a@b.co' },
    friends: [{ email: 'c@d.co' }],
    keys: ['d3b07384-d113-4ec6-a5d8-5a7c2b9e8f10'],
    sum: 7,
  };

  it('apply on fields of their own and beside decorators of this project', () => {
    const model = read(Model, { ...right, role: 'admin', owner: { ...right.owner, role: 'admin' } });
    expect({ ...model, owner: { ...model.owner } }).toEqual({ ...right, age: undefined, note: undefined });
    expect(model.friends[0]).toBeInstanceOf(Owner);
  });

  it('report the same stable rules and paths', () => {
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

  it('report sentences that begin with the path', () => {
    expect(() => read(Model, { ...right, owner: { email: 'a' } })).toThrow('owner.email must be an email.');
    expect(() => read(Model, { ...right, keys: ['x'] })).toThrow('keys[0] must be a UUID.');
  });
});
