import type { Request, Response } from 'express';
import { InvalidRequest } from '../../../src/kernel/errors.js';
import { faultsOfTakenFields } from '../../../src/edge/http/deferred-faults.js';
import { parseParameters, requestTarget } from '../../../src/edge/http/request-target.js';

function faultsOf(url: string) {
  try {
    requestTarget({ url } as Request, {} as Response, () => undefined);
  } catch (error) {
    if (error instanceof InvalidRequest) return error.fields.map(({ field, rule }) => `${field}: ${rule}`);
    throw error;
  }
  return [];
}

describe('reading the path and query of a request', () => {
  it('decodes a query once and leaves it on the request', () => {
    const request = { url: '/v1/x?email=a%2Bb%40example.com&name=J%C3%B6rg+M&flag&empty=' } as Request;
    let passed = false;
    requestTarget(request, {} as Response, () => (passed = true));
    expect(passed).toBe(true);
    expect({ ...request.query }).toEqual({ email: 'a+b@example.com', name: 'Jörg M', flag: '', empty: '' });
  });

  it('keeps names of Object.prototype harmless', () => {
    const parameters = parseParameters('__proto__=1&constructor=2&toString=3');
    expect(Object.getPrototypeOf(parameters)).toBeNull();
    expect(parameters['toString']).toBe('3');
  });

  it.each([
    ['/v1/users/%', 'path: encoding'],
    ['/v1/users/%zz', 'path: encoding'],
    ['/v1/users/%ff%fe', 'path: encoding'],
    ['/v1/users/%ED%A0%80', 'path: encoding'],
    ['/v1/users/a%00b', 'path: characters'],
    ['/v1/users/\xfc', 'path: encoding'],
    ['/v1/list?user_id=%00', 'user_id: characters'],
    ['/v1/list?%00=1', 'query: characters'],
  ])('refuses %j', (url, fault) => expect(faultsOf(url)).toEqual([fault]));

  it.each([
    ['user_id=%', 'encoding'],
    ['user_id=%C3', 'encoding'],
    ['user_id=caf%E9', 'encoding'],
    ['user_id=a&user_id=b', 'duplicate'],
    ['user_id=a&%75ser_id=b', 'duplicate'],
  ])('refuses %j where the request takes the field, which has no value', (query, rule) => {
    const parameters = parseParameters(`${query}&x=1`);
    expect({ ...parameters }).toEqual({ user_id: undefined, x: '1' });
    expect(faultsOfTakenFields(parameters, { user_id: undefined })).toMatchObject([{ field: 'user_id', rule }]);
    expect(faultsOfTakenFields(parameters, { x: '1' })).toEqual([]);
  });

  it('ignores a name that no field can have', () => {
    expect({ ...parseParameters('%=1&x=1') }).toEqual({ x: '1' });
  });

  it('gives a field that is given three times no value', () => {
    const parameters = parseParameters('a=1&a=2&a=3');
    expect(parameters['a']).toBeUndefined();
    expect(faultsOfTakenFields(parameters, { a: undefined })).toHaveLength(1);
  });

  it('takes 600 parameters', () => {
    const query = (count: number) => `/v1/list?${Array.from({ length: count }, (_, i) => `p${i}`).join('&')}`;
    expect(faultsOf(query(600))).toEqual([]);
    expect(faultsOf(query(601))).toEqual(['query: too_many']);
  });

  it('passes what needs no care', () => {
    expect(faultsOf('/v1/users/user_1?')).toEqual([]);
    expect(faultsOf('/v1/users/a%2Fb?x=1&y=%F0%9F%98%80')).toEqual([]);
  });
});
