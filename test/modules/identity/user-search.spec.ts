import {
  InvalidEmail,
  InvalidPhoneNumber,
  InvalidSearch,
} from '../../../src/modules/identity/domain/identity.errors.js';
import { criteriaOf, SEARCH_FIELDS, type SearchFilter } from '../../../src/modules/identity/domain/user-search.js';
import { newId } from '../../../src/kernel/ids.js';

const user = newId('user');

function refusal(filter: SearchFilter): unknown {
  try {
    criteriaOf([{ field: 'status', operator: 'eq', value: 'active' }, filter]);
  } catch (error) {
    return error;
  }
  throw new Error('It was not refused.');
}

describe('a search filter', () => {
  it('reads eq as one of one', () => {
    expect(criteriaOf([{ field: 'status', operator: 'eq', value: 'pending' }])).toEqual([
      { field: 'status', operator: 'in', values: ['pending'] },
    ]);
  });

  it('compares addresses in their canonical form', () => {
    const filters: SearchFilter[] = [
      { field: 'email', operator: 'in', values: ['Ann@Example.com', 'bob@MÜNCHEN.de'] },
      { field: 'phone_number', operator: 'eq', value: '+4407911123456' },
    ];
    expect(criteriaOf(filters).map(({ values }) => values)).toEqual([
      ['ann@example.com', 'bob@xn--mnchen-3ya.de'],
      ['+447911123456'],
    ]);
  });

  it('takes flags as words too', () => {
    expect(criteriaOf([{ field: 'email_verified', operator: 'in', values: ['true', false] }])[0]!.values).toEqual([
      true,
      false,
    ]);
  });

  it.each(['lt', 'gt'] as const)('knows an order of user ids: %s', (operator) => {
    expect(criteriaOf([{ field: 'user_id', operator, value: user }])).toEqual([
      { field: 'user_id', operator, values: [user] },
    ]);
  });

  it.each(SEARCH_FIELDS.filter((field) => field !== 'user_id'))('knows no order of %s', (field) => {
    for (const operator of ['lt', 'gt', 'between'] as const) {
      expect(refusal({ field, operator, value: 'a', secondValue: 'b' })).toMatchObject({
        code: 'invalid_search',
        fields: [{ field: 'filters.fields[1].operator', rule: 'one_of' }],
      });
    }
  });

  it.each<[string, SearchFilter, string]>([
    ['eq without a value', { field: 'status', operator: 'eq' }, 'value'],
    ['in without values', { field: 'status', operator: 'in', value: 'active' }, 'values'],
    ['between without an upper end', { field: 'user_id', operator: 'between', value: user }, 'second_value'],
    ['an unknown status', { field: 'status', operator: 'eq', value: 'deleted' }, 'value'],
    ['an id of another kind', { field: 'email_id', operator: 'in', values: [newId('email'), user] }, 'values[1]'],
    ['an id of no form', { field: 'user_id', operator: 'lt', value: "' or 1=1" }, 'value'],
    ['a text where a flag belongs', { field: 'totp_verified', operator: 'eq', value: 'yes' }, 'value'],
    ['a flag where a text belongs', { field: 'full_name_match', operator: 'eq', value: true }, 'value'],
  ])('is refused by name: %s', (_, filter, place) => {
    const error = refusal(filter);
    expect(error).toBeInstanceOf(InvalidSearch);
    expect(error).toMatchObject({ fields: [{ field: `filters.fields[1].${place}` }] });
  });

  it('is refused by name: what is no address', () => {
    expect(refusal({ field: 'email', operator: 'eq', value: 'ann' })).toBeInstanceOf(InvalidEmail);
    expect(refusal({ field: 'phone_number', operator: 'in', values: ['+1'] })).toBeInstanceOf(InvalidPhoneNumber);
    expect(refusal({ field: 'phone_number', operator: 'in', values: ['+1'] })).toMatchObject({
      fields: [{ field: 'filters.fields[1].values[0]' }],
    });
  });
});
