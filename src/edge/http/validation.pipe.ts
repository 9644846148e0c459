import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { IS_DEFINED, type ValidationError, validateSync } from 'class-validator';
import type { FieldError } from '../../kernel/domain-error.js';
import { InvalidRequest } from '../../kernel/errors.js';
import { snakeCase } from '../../kernel/snake-case.js';
import { AT_LEAST_ONE_OF, type GroupContext } from './at-least-one-of.js';
import { cacheConstraints, fieldsTakenBy, refusedItems } from './class-validator-internals.js';
import { MOST_FAULTS, unknownFields } from './closed.js';
import { faultsOfTakenFields } from './deferred-faults.js';
import { TEXTUAL } from './field.js';
import { reportIgnoredFields } from './ignored-fields.js';

cacheConstraints();

const NOT_A_MODEL: ReadonlySet<unknown> = new Set([undefined, String, Number, Boolean, Array, Object, Date]);

/** Drops fields without a constraint. Asynchronous constraints are ignored: checks that need I/O belong to the use case. */
@Injectable()
export class ValidationPipe implements PipeTransform {
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if (type === 'custom' || NOT_A_MODEL.has(metatype)) return value;
    // The required fields of a missing body are reported as missing.
    const model = metatype as new () => object;
    const request = plainToInstance(model, takenFields(model, value ?? {}), {
      groups: type === 'body' ? [] : [TEXTUAL],
    });
    // The whitelist removes every field of a class without constraints, so unknown values need not be refused.
    const errors = validateSync(request, { whitelist: true, stopAtFirstError: true, forbidUnknownValues: false });
    const ignored = reportIgnoredFields(value, request);
    const faults = faultsOfTakenFields(value, request);
    if (faults.length > 0) throw new InvalidRequest(faults);
    const refused = [...fieldErrors(errors, ''), ...unknownFields(value, request)];
    // A misspelt name looks like a missing field.
    const misspelt = refused.some(({ rule }) => rule === 'required' || rule === AT_LEAST_ONE_OF)
      ? ignored.map((field) => ({ field, rule: 'unknown', message: 'is not a known field' }))
      : [];
    if (refused.length > 0) throw new InvalidRequest([...refused.slice(0, MOST_FAULTS), ...misspelt]);
    return request;
  }
}

/** class-transformer would convert 10,000 values that are dropped afterwards. */
function takenFields(model: new () => object, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const taken = fieldsTakenBy(model);
  return Object.fromEntries(Object.entries(value).filter(([name]) => taken.has(name)));
}

/** The errors have the order of declaration, inherited fields first. */
function fieldErrors(errors: readonly ValidationError[], parent: string): FieldError[] {
  const names = Object.keys(errors[0]?.target ?? {});
  const rank = ({ property }: ValidationError) => (names.includes(property) ? names.indexOf(property) : names.length);
  return errors
    .toSorted((one, other) => rank(one) - rank(other))
    .flatMap((error) => {
      const [constraint] = Object.keys(error.constraints ?? {});
      if (constraint === undefined) return fieldErrors(error.children ?? [], pathOf(error, error.property, parent));
      const message = predicate(error.constraints![constraint]!, error.property);
      const group = error.contexts?.[constraint] as GroupContext | undefined;
      if (group?.reportedField)
        return [{ field: pathOf(error, group.reportedField, parent), rule: constraint, message }];
      const path = pathOf(error, error.property, parent);
      const items = refusedItems(error, constraint);
      return items.length > 0
        ? items.map((index) => fieldError((error.value as unknown[])[index], `${path}[${index}]`, constraint, message))
        : [fieldError(error.value, path, constraint, message)];
    });
}

function pathOf({ target }: ValidationError, name: string, parent: string): string {
  if (Array.isArray(target)) return `${parent}[${name}]`;
  return parent === '' ? name : `${parent}.${name}`;
}

function fieldError(value: unknown, field: string, constraint: string, message: string): FieldError {
  if (value === undefined) return { field, rule: 'required', message: 'is required' };
  if (value !== null) return { field, rule: ruleOf(constraint), message };
  return { field, rule: 'null', message: constraint === IS_DEFINED ? message : 'must not be null' };
}

const RULES: Readonly<Record<string, string>> = {
  isString: 'type',
  isInt: 'type',
  isNumber: 'type',
  isBoolean: 'type',
  isDate: 'type',
  isArray: 'type',
  isObject: 'type',
  isInstance: 'type',
  nestedValidation: 'type',
  isNotEmpty: 'too_short',
  minLength: 'too_short',
  maxLength: 'too_long',
  arrayNotEmpty: 'too_few',
  arrayMinSize: 'too_few',
  arrayMaxSize: 'too_many',
  isPositive: 'min',
  minDate: 'min',
  isNegative: 'max',
  maxDate: 'max',
  isIn: 'one_of',
  isEnum: 'one_of',
  isLength: 'length',
  matches: 'format',
};

/** `isEmail` and the like become `format`; others become snake case. */
function ruleOf(constraint: string): string {
  return RULES[constraint] ?? (/^is[A-Z]/.test(constraint) ? 'format' : snakeCase(constraint));
}

/** Messages of class-validator begin with the field's name. */
function predicate(message: string, property: string): string {
  const plain = message.replace(/^each value in /, '');
  return plain.startsWith(`${property} `) ? plain.slice(property.length + 1) : plain;
}
