import { isId, type UserId } from '../../../kernel/ids.js';
import type { PageRequest } from '../../../kernel/paging.js';
import { InvalidSearch } from './identity.errors.js';
import type { SearchField } from './user-search-fields.js';

export const SEARCH_OPERATORS = ['eq', 'in', 'lt', 'gt', 'between'] as const;
export type SearchOperator = (typeof SEARCH_OPERATORS)[number];

type SearchValue = string | boolean;

export interface SearchFilter {
  readonly field: string;
  readonly operator: SearchOperator;
  readonly value?: SearchValue;
  readonly secondValue?: SearchValue;
  readonly values?: readonly SearchValue[];
}

/** `eq` becomes `in`. Values that no object can have, such as foreign ids, are left out; other operators then become an empty `in`. */
export interface Criterion {
  readonly field: SearchField;
  readonly operator: Exclude<SearchOperator, 'eq'>;
  readonly values: readonly SearchValue[];
}

export interface UserSearch extends PageRequest<UserId> {
  readonly match: 'all' | 'any';
  readonly criteria: readonly Criterion[];
  readonly onlyUser?: UserId;
}

const UNORDERED: readonly SearchOperator[] = ['eq', 'in'];

/** Values of all filters together. Each value of a `_match` field is a search of its own. */
export const MOST_VALUES = { all: 500, match: 20 } as const;

export function criteriaOf(filters: readonly SearchFilter[], fieldOf: (name: string) => SearchField): Criterion[] {
  const count = { all: 0, match: 0 };
  return filters.map((filter, index) => {
    const path = `filters.fields[${index}]`;
    const read = criterion(fieldOf(filter.field), filter, path);
    count.all += read.values.length;
    if (read.field.values === 'match') count.match += read.values.length;
    if (count.all > MOST_VALUES.all || count.match > MOST_VALUES.match) {
      const message = `must not bring the values of all filters over ${MOST_VALUES.all}, nor those of _match fields over ${MOST_VALUES.match}`;
      throw new InvalidSearch(filter.operator === 'in' ? `${path}.values` : path, 'too_many', message);
    }
    return read;
  });
}

function criterion(
  field: SearchField,
  { operator, value, secondValue, values }: SearchFilter,
  path: string,
): Criterion {
  const operators = field.isOrdered ? SEARCH_OPERATORS : UNORDERED;
  const read: Reader = (given, place) => readAs(field, given, place);
  if (!operators.includes(operator)) {
    throw new InvalidSearch(`${path}.operator`, 'one_of', `must be one of ${operators.join(', ')} for ${field.name}`);
  }
  const first = (): SearchValue | null => read(required(value, `${path}.value`), `${path}.value`);
  switch (operator) {
    case 'eq':
      return criterionOf(field, 'in', [first()]);
    case 'in': {
      const all = required(values, `${path}.values`);
      if (all.length === 0) throw new InvalidSearch(`${path}.values`, 'too_few', 'must not be empty');
      return criterionOf(
        field,
        operator,
        all.map((one, index) => read(one, `${path}.values[${index}]`)),
      );
    }
    case 'between': {
      const second = () => read(required(secondValue, `${path}.second_value`), `${path}.second_value`);
      return criterionOf(field, operator, [first(), second()]);
    }
    case 'lt':
    case 'gt':
      return criterionOf(field, operator, [first()]);
  }
}

/** `values` are null where no object can have the value. */
function criterionOf(
  field: SearchField,
  operator: Criterion['operator'],
  values: readonly (SearchValue | null)[],
): Criterion {
  const possible = values.filter((value) => value !== null);
  if (operator !== 'in' && possible.length < values.length) return { field, operator: 'in', values: [] };
  return { field, operator, values: possible };
}

type Reader = (value: SearchValue, path: string) => SearchValue | null;

function readAs({ values, stored }: SearchField, value: SearchValue, path: string): SearchValue | null {
  if (typeof values === 'object' && 'id' in values) return isId(values.id, text(value, path)) ? value : null;
  if (typeof values === 'object') return word(values.words, value, path);
  if (values === 'flag') return flag(value, path);
  const given = text(value, path);
  return stored ? stored(given, path) : given;
}

function required<T>(value: T | undefined, path: string): T {
  if (value === undefined) throw new InvalidSearch(path, 'required', 'is required by the operator');
  return value;
}

function text(value: SearchValue, path: string): string {
  if (typeof value !== 'string') throw new InvalidSearch(path, 'type', 'must be a string');
  return value;
}

function flag(value: SearchValue, path: string): boolean {
  if (value === true || value === 'true') return true;
  if (value === false || value === 'false') return false;
  throw new InvalidSearch(path, 'type', 'must be true or false');
}

function word(allowed: readonly string[], value: SearchValue, path: string): string {
  const found = allowed.find((known) => known === value);
  if (found === undefined) throw new InvalidSearch(path, 'one_of', `must be one of ${allowed.join(', ')}`);
  return found;
}
