import { AtLeastOneOf } from '../../../src/edge/http/at-least-one-of.js';
import { AnyOf, JsonObject, ListOf } from '../../../src/edge/http/compound-fields.js';
import { Flag, HttpUrl, Text, WholeNumber } from '../../../src/edge/http/fields.js';
import { faultsOf, modelOf, read } from './request-classes.js';

describe('compound request fields', () => {
  it('a list is refused outside its bounds, and a wrong item under its index', () => {
    const Model = modelOf(ListOf(HttpUrl(), { min: 1, max: 2 }));
    expect(read(Model, { x: ['https://a.example'] }).x).toEqual(['https://a.example']);
    expect(faultsOf(Model, { x: [] })).toEqual(['x: too_few']);
    expect(faultsOf(Model, { x: ['a', 'b', 'c'] })).toEqual(['x: too_many']);
    expect(faultsOf(Model, { x: ['https://a.example', 'b'] })).toEqual(['x[1]: format']);
    expect(faultsOf(Model, { x: { 0: 'https://a.example', length: 1 } })).toEqual(['x: type']);
  });

  it('a JSON object is passed on unchanged', () => {
    const json = { a: [1], toString: 'x', valueOf: null, length: 1 };
    expect(read(modelOf(JsonObject()), { x: json }).x).toEqual(json);
    for (const x of [[], 'a', 1]) expect(faultsOf(modelOf(JsonObject()), { x })).toEqual(['x: type']);
  });

  it('a value of any alternative is passed on unchanged', () => {
    const Scalar = modelOf(AnyOf([Text({ max: 5 }), WholeNumber(), Flag()]));
    for (const x of ['a', 7, true]) expect(read(Scalar, { x }).x).toBe(x);
    for (const x of ['longer', 1.5, [], {}]) expect(faultsOf(Scalar, { x })).toEqual(['x: type']);
  });
});

describe('AtLeastOneOf', () => {
  @AtLeastOneOf('session_token', 'session_jwt')
  @AtLeastOneOf('email', 'phone_number')
  class Model {
    @Text({ optional: true }) readonly session_token?: string;
    @Text({ optional: true }) readonly session_jwt?: string;
    @Text({ optional: true }) readonly email?: string;
    @Text({ optional: true }) readonly phone_number?: string;
  }

  it('accepts one or more of its fields', () => {
    expect(faultsOf(Model, { session_token: 'a', email: 'b' })).toEqual([]);
    expect(faultsOf(Model, { session_token: 'a', session_jwt: 'b', email: 'b', phone_number: 'c' })).toEqual([]);
  });

  it('refuses a request without any of its fields and names the first', () => {
    expect(faultsOf(Model, { email: 'b' })).toEqual(['session_token: at_least_one_of']);
    expect(faultsOf(Model, {})).toEqual(['email: at_least_one_of', 'session_token: at_least_one_of']);
  });

  it('holds in a subclass together with its own', () => {
    @AtLeastOneOf('email', 'session_jwt')
    class Child extends Model {}
    expect(faultsOf(Child, { session_token: 'a', phone_number: 'b' })).toEqual(['email: at_least_one_of']);
    expect(faultsOf(Child, { session_jwt: 'a' })).toEqual(['email: at_least_one_of']);
  });
});
