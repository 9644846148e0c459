import {
  InvalidEmail,
  InvalidPhoneNumber,
  InvalidSearch,
} from '../../../src/modules/identity/domain/identity.errors.js';
import { criteriaOf, type SearchFilter } from '../../../src/modules/identity/domain/user-search.js';
import { SEARCH_FIELDS, UserSearchFields } from '../../../src/modules/identity/domain/user-search-fields.js';
import { OWN_SEARCH_FIELDS } from '../../../src/modules/identity/infrastructure/own-search-fields.js';
import { newId } from '../../../src/kernel/ids.js';

const user = newId('user');
const registry = new UserSearchFields();
for (const rows of OWN_SEARCH_FIELDS) registry.register(rows);

/** The criteria with the names of their fields. */
const criteria = (...filters: SearchFilter[]) =>
  criteriaOf(filters, (name) => registry.named(name)).map((one) => ({ ...one, field: one.field.name }));

function refusal(filter: SearchFilter): unknown {
  try {
    criteria({ field: 'status', operator: 'eq', value: 'active' }, filter);
  } catch (error) {
    return error;
  }
  throw new Error('It was not refused.');
}

describe('a search filter', () => {
  it('reads eq as one of one', () => {
    expect(criteria({ field: 'status', operator: 'eq', value: 'pending' })).toEqual([
      { field: 'status', operator: 'in', values: ['pending'] },
    ]);
  });

  it('compares addresses in their canonical form', () => {
    const filters: SearchFilter[] = [
      { field: 'email', operator: 'in', values: ['Ann@Example.com', 'bob@MÜNCHEN.de'] },
      { field: 'phone_number', operator: 'eq', value: '+4407911123456' },
    ];
    expect(criteria(...filters).map(({ values }) => values)).toEqual([
      ['ann@example.com', 'bob@xn--mnchen-3ya.de'],
      ['+447911123456'],
    ]);
  });

  it('takes flags as words too', () => {
    expect(criteria({ field: 'email_verified', operator: 'in', values: ['true', false] })[0]!.values).toEqual([
      true,
      false,
    ]);
  });

  it.each(['lt', 'gt'] as const)('knows an order of user ids: %s', (operator) => {
    expect(criteria({ field: 'user_id', operator, value: user })).toEqual([
      { field: 'user_id', operator, values: [user] },
    ]);
  });

  it.each(SEARCH_FIELDS.filter((field) => field !== 'user_id').map((field) => [field]))(
    'knows no order of %s',
    (field) => {
      for (const operator of ['lt', 'gt', 'between'] as const) {
        expect(refusal({ field, operator, value: 'a', secondValue: 'b' })).toMatchObject({
          code: 'invalid_search',
          fields: [{ field: 'filters.fields[1].operator', rule: 'one_of' }],
        });
      }
    },
  );

  it.each<[string, SearchFilter, string]>([
    ['eq without a value', { field: 'status', operator: 'eq' }, 'value'],
    ['in without values', { field: 'status', operator: 'in', value: 'active' }, 'values'],
    ['in with an empty list', { field: 'status', operator: 'in', values: [] }, 'values'],
    ['between without an upper end', { field: 'user_id', operator: 'between', value: user }, 'second_value'],
    ['an unknown status', { field: 'status', operator: 'eq', value: 'deleted' }, 'value'],
    ['a flag where an id belongs', { field: 'user_id', operator: 'eq', value: true }, 'value'],
    ['a text where a flag belongs', { field: 'email_verified', operator: 'eq', value: 'yes' }, 'value'],
    ['a flag where a text belongs', { field: 'full_name_match', operator: 'eq', value: true }, 'value'],
  ])('is refused by name: %s', (_, filter, place) => {
    const error = refusal(filter);
    expect(error).toBeInstanceOf(InvalidSearch);
    expect(error).toMatchObject({ fields: [{ field: `filters.fields[1].${place}` }] });
  });

  it('leaves out the ids that the service does not make', () => {
    const [email, ofOldClient] = [newId('email'), 'email_27omQ7cYJ3hK1zR8pXv2'];
    const filters: SearchFilter[] = [
      { field: 'email_id', operator: 'in', values: [email, user, ofOldClient, ''] },
      { field: 'email_id', operator: 'eq', value: ofOldClient },
    ];
    expect(criteria(...filters)).toEqual([
      { field: 'email_id', operator: 'in', values: [email] },
      { field: 'email_id', operator: 'in', values: [] },
    ]);
  });

  it.each<[string, SearchFilter]>([
    ['lt', { field: 'user_id', operator: 'lt', value: "' or 1=1" }],
    ['gt', { field: 'user_id', operator: 'gt', value: newId('email') }],
    ['between, from it', { field: 'user_id', operator: 'between', value: 'user_27om', secondValue: user }],
    ['between, up to it', { field: 'user_id', operator: 'between', value: user, secondValue: 'user_27om' }],
  ])('finds no user by the order of an id that the service does not make: %s', (_, filter) => {
    expect(criteria(filter)).toEqual([{ field: 'user_id', operator: 'in', values: [] }]);
  });

  it('is refused by name: what is no address', () => {
    expect(refusal({ field: 'email', operator: 'eq', value: 'ann' })).toBeInstanceOf(InvalidEmail);
    expect(refusal({ field: 'phone_number', operator: 'in', values: ['+1'] })).toBeInstanceOf(InvalidPhoneNumber);
    expect(refusal({ field: 'phone_number', operator: 'in', values: ['+1'] })).toMatchObject({
      fields: [{ field: 'filters.fields[1].values[0]' }],
    });
  });
});

describe('the registry of search fields', () => {
  const keys = UserSearchFields.declare({
    table: 'keys',
    fields: { key_name: { compared: 't.name', values: 'text' }, a_key: { compared: 't.id', values: { id: 'user' } } },
  });

  it('lists the fields of identity first, then those of other modules by name', () => {
    const own = OWN_SEARCH_FIELDS.flatMap(({ fields }) => Object.keys(fields));
    expect(SEARCH_FIELDS).toEqual([...own, 'a_key', 'key_name']);
  });

  it('names a field that is declared but not registered', () => {
    const fields = new UserSearchFields();
    for (const rows of OWN_SEARCH_FIELDS) fields.register(rows);
    expect(() => fields.requireAll()).toThrow('The search field a_key is declared but not registered.');
    fields.register(keys);
    expect(() => fields.requireAll()).not.toThrow();
  });

  it('refuses a field twice', () => {
    const fields = new UserSearchFields();
    fields.register(keys);
    expect(() => fields.register(keys)).toThrow('key_name is registered already');
    expect(() => UserSearchFields.declare(keys)).toThrow('key_name is declared already');
  });

  it('refuses a field that is missing in the API document', () => {
    const undeclared = { table: 'keys', fields: { secret: { compared: 't.secret', values: 'text' } } } as const;
    expect(() => new UserSearchFields().register(undeclared)).toThrow('The search field secret is not declared.');
  });
});
