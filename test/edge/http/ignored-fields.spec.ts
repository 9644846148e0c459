import { JsonObject, ListOf, Nested } from '../../../src/edge/http/compound-fields.js';
import { Text, WholeNumber } from '../../../src/edge/http/fields.js';
import { nameIgnoredFields } from '../../../src/edge/http/ignored-fields.js';
import { ValidationPipe } from '../../../src/edge/http/validation.pipe.js';

class Item {
  @Text() readonly name!: string;
}
class Thing extends Item {
  @Nested(() => Item, { optional: true }) readonly part?: Item;
  @ListOf(Nested(() => Item), { max: 3, optional: true }) readonly items?: Item[];
  @JsonObject({ optional: true }) readonly notes?: object;
  @WholeNumber({ optional: true }) readonly size?: number;
}

/** The header that the response to a request with these bodies has. */
function headerOf(...bodies: object[]): string | undefined {
  const headers: Record<string, string> = {};
  const response = {
    getHeader: (name: string) => headers[name],
    setHeader: (name: string, value: string) => Object.assign(headers, { [name]: value }),
  };
  for (const body of bodies) {
    nameIgnoredFields(body, response as never);
    try {
      new ValidationPipe().transform(body, { type: 'body', metatype: Thing });
    } catch {
      // The response to a refused request has the header too.
    }
  }
  return headers['X-Ignored-Fields'];
}

describe('the header for ignored fields', () => {
  it('names what the request class does not take, also in objects and lists of it', () => {
    const part = { name: 'a', nmae: 'b' };
    expect(headerOf({ name: 'a', nmae: 'b', part, items: [{ name: 'a' }, part], size: '3' })).toBe(
      'nmae, part.nmae, items[1].nmae',
    );
  });

  it('is absent if every field is taken, and names nothing in an object of any content', () => {
    expect(headerOf({ name: 'a', part: null, notes: { nmae: 'b', deep: { x: 1 } }, size: 3 })).toBeUndefined();
  });

  it('names the fields of a refused request, and nothing of the public token, which the guard reads', () => {
    expect(headerOf({ nmae: 'a', public_token: 'pk_test_a' })).toBe('nmae');
  });

  it('names the fields of body and query together', () => {
    expect(headerOf({ name: 'a', one: 1 }, { name: 'a', two: 2 })).toBe('one, two');
  });

  it('has safe characters only and at most 512 of them, however many and long the names are', () => {
    expect(headerOf({ name: 'a', 'x\r\nSet-Cookie: a=b': 1, ключ: 2 })).toBe('x??Set-Cookie??a?b, ????');
    expect(headerOf({ ['n'.repeat(300)]: 1, z: 2 })).toBe(`${'n'.repeat(97)}..., z`);
    const many = headerOf(Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`field_${index}`, index])))!;
    expect(many).toMatch(/^[\w.[\], -]+, \.\.\.$/);
    expect(many.length).toBeLessThanOrEqual(512);
  });
});
