import { InvalidRequest } from '../../../src/kernel/errors.js';
import { MalformedJson } from '../../../src/edge/errors/edge-errors.js';
import { faultsOfTakenFields } from '../../../src/edge/http/deferred-faults.js';
import { parseJsonObject } from '../../../src/edge/http/json-text.js';
import { leastUnitsOf } from '../../support/processor-time.js';

function faultsOf(text: string) {
  try {
    parseJsonObject(text);
  } catch (error) {
    if (error instanceof InvalidRequest) return error.fields.map(({ field, rule }) => `${field}: ${rule}`);
    throw error;
  }
  return [];
}

describe('reading a JSON body', () => {
  it('gives the object as JSON.parse would', () => {
    const text = '{"a":"ü \\u00e9 \\"\\\\","b":[1,-2.5e3,{"c":null,"d":[]},true],"e":{"":{}},"f":"𐍈 \\ud800\\udf48"}';
    expect(parseJsonObject(text)).toEqual(JSON.parse(text));
  });

  it.each([
    '',
    ' ',
    '{',
    '{"a":}',
    '{"a":1,}',
    "{'a':1}",
    '{"a":1}{"b":2}',
    '{"a":NaN}',
    '{"a":"\u0000"}',
    '\ufeff{}',
    '{"a":01}',
  ])('refuses %j as malformed', (text) => expect(() => parseJsonObject(text)).toThrow(MalformedJson));

  it.each(['[]', '[{"a":1}]', 'null', '"text"', '7', 'true'])('refuses %s, which is JSON but no object', (text) =>
    expect(() => parseJsonObject(text)).toThrow(new MalformedJson('The request body must be a JSON object.')),
  );

  it('does not quote the body in its message', () => {
    expect(() => parseJsonObject('{"secret_key": sk_test_canary}')).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('canary') as string }),
    );
  });

  it('names NUL and lone surrogates by their path, in values and in names', () => {
    expect(faultsOf('{"emails":[{"email":"a"},{"email":"a\\u0000b"}]}')).toEqual(['emails[1].email: characters']);
    expect(faultsOf('{"a":{"b":"\\ud800"},"c":"\\udc00\\ud800"}')).toEqual(['a.b: characters', 'c: characters']);
    expect(faultsOf('{"x\\u0000":1}')).toEqual(['x\\u0000: characters']);
    expect(faultsOf('{"pair":"\\ud83d\\ude00"}')).toEqual([]);
  });

  it('refuses a name given twice, however it is spelt, but not the same name in different objects', () => {
    expect(faultsOf('{"a":1,"b":{"a":2},"c":[{"a":1},{"a":1}]}')).toEqual([]);
    expect(faultsOf('{"a":1,"\\u0061":2}')).toEqual(['\\u0061: duplicate']);
    expect(faultsOf('{"list":[{"id":1,"id":2}]}')).toEqual(['list[0].id: duplicate']);
    expect(faultsOf('{"a":{"x":1},"a":{"x":1}}')).toEqual(['a: duplicate']);
  });

  it.each(['__proto__', 'constructor', 'prototype', '\\u005f_proto__'])('refuses the name %s at any depth', (name) => {
    expect(faultsOf(`{"${name}":{"admin":true}}`)).toEqual([`${name}: forbidden_name`]);
    expect(faultsOf(`{"a":[[{"${name}":1}]]}`)).toEqual([`a[0][0].${name}: forbidden_name`]);
  });

  it('takes twenty levels and refuses the twenty-first', () => {
    const nested = (levels: number) => `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`;
    expect(faultsOf(nested(20))).toEqual([]);
    expect(faultsOf(nested(21))).toEqual([`${'a.'.repeat(19)}a: depth`]);
    expect(faultsOf(`{"a":${'['.repeat(19)}${']'.repeat(19)}}`)).toEqual([]);
    expect(faultsOf(`{"a":${'['.repeat(20)}${']'.repeat(20)}}`)).toHaveLength(1);
  });

  it('takes 600 names in an object and 10,000 values in all', () => {
    const names = (count: number) => `{${Array.from({ length: count }, (_, i) => `"${i}":{}`).join(',')}}`;
    expect(faultsOf(names(600))).toEqual([]);
    expect(faultsOf(`{"a":${names(601)}}`)).toEqual(['a.600: too_many']);
    const values = (count: number) => `{"a":[${Array.from({ length: count }, () => '{}').join(',')}]}`;
    expect(faultsOf(values(10_000))).toEqual([]);
    expect(faultsOf(values(10_001))).toEqual(['a[10000]: too_many']);
  });

  it('refuses numbers that parsing would change, where the request takes the field', () => {
    const numbersIn = (text: string, ...taken: string[]) => {
      const request = Object.fromEntries(taken.map((name) => [name, null]));
      return faultsOfTakenFields(parseJsonObject(text), request).map(({ field, rule }) => `${field}: ${rule}`);
    };
    const kept = '{"a":9007199254740991,"b":-9007199254740991,"c":0.1,"d":1e21,"e":3.141592653589793238}';
    expect(numbersIn(kept, 'a', 'b', 'c', 'd', 'e')).toEqual([]);
    expect(numbersIn('{"a":9007199254740993}', 'a')).toEqual(['a: number']);
    expect(numbersIn('{"a":[1,-100000000000000000001]}', 'a')).toEqual(['a[1]: number']);
    expect(numbersIn('{"a":1e999}', 'a')).toEqual(['a: number']);
    expect(numbersIn('{"a":{"b":1e999}}', 'a')).toEqual(['a.b: number']);
    expect(numbersIn('{"\\u0061":{"b":1e999}}', 'a')).toEqual(['\\u0061.b: number']);
    expect(numbersIn('{"a.b":1e999}', 'a')).toEqual([]);
    expect(numbersIn('{"a":1e999}', 'b')).toEqual([]);
    const unknown = Array.from({ length: 599 }, (_, i) => `"x${i}":1e999`).join(',');
    expect(numbersIn(`{${unknown},"a":1e999}`, 'a')).toEqual(['a: number']);
    expect(faultsOf('{"a":1e999,"b":"\\u0000"}')).toEqual(['b: characters', 'a: number']);
  });

  it('reads structure only outside strings', () => {
    expect(faultsOf('{"a":"}]{[,:1e999\\"","b":"\\\\","c":"{\\"a\\":1,\\"a\\":2}"}')).toEqual([]);
    expect(faultsOf('{"a":"\\\\","a":"x"}')).toEqual(['a: duplicate']);
  });

  it('reports twenty faults at most and cuts long names', () => {
    const many = `{${Array.from({ length: 500 }, () => '"same":1').join(',')}}`;
    expect(faultsOf(many)).toHaveLength(20);
    const [long] = faultsOf(`{"${'n'.repeat(10_000)}":"\\u0000"}`);
    expect(long).toBe(`${'n'.repeat(200)}…: characters`);
  });

  it.each([
    ['brackets', '['.repeat(262_000)],
    ['nested arrays', `{"a":${'['.repeat(131_000)}${']'.repeat(131_000)}}`],
    ['quotes', `{"a":"${'\\"'.repeat(131_000)}"}`],
    ['backslashes', `{"a":"${'\\\\'.repeat(131_000)}"}`],
    ['names', `{${Array.from({ length: 20_000 }, (_, i) => `"${i}":1`).join(',')}}`],
    ['digits', `{"a":${'9'.repeat(262_000)}}`],
    ['short escapes', `{"a":[${Array.from({ length: 29_000 }, () => '"\\n"').join(',')}]}`],
  ])('is quick with 256 KiB of %s', async (_, text) => {
    const parse = () => {
      try {
        parseJsonObject(text);
      } catch {
        // Refused or not: only the time counts here.
      }
    };
    expect(await leastUnitsOf(parse)).toBeLessThan(250);
  });
});
