import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, IS_DEFINED, type ValidationError, validateSync } from 'class-validator';
import type { FieldError } from '../../kernel/domain-error.js';
import { InvalidRequest } from '../../kernel/errors.js';
import { type GroupContext, TEXTUAL } from './fields.js';

// For each object it validates, the library goes through the decorators of all classes. They do not change once the
// classes are there, so what it found for a class is kept: 3 % of a short POST, and more with every class.
const storage = getMetadataStorage();
const find = storage.getTargetValidationMetadatas.bind(storage);
const found = new Map<unknown, ReturnType<typeof find>>();
storage.getTargetValidationMetadatas = (target, schema, always, strictGroups, groups) => {
  if (schema || groups?.length) return find(target, schema, always, strictGroups, groups);
  let known = found.get(target);
  if (!known) found.set(target, (known = find(target, schema, always, strictGroups, groups)));
  return known;
};

const NOT_A_MODEL: ReadonlySet<unknown> = new Set([undefined, String, Number, Boolean, Array, Object, Date]);

/**
 * Turns a body or query into its request class by the decorators of class-transformer and class-validator, those of
 * `fields.ts` and plain ones. Fields without a constraint are dropped; all faults are refused together. Asynchronous
 * constraints are not asked: what needs I/O is for the use case to decide.
 */
@Injectable()
export class ValidationPipe implements PipeTransform {
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if (type === 'custom' || NOT_A_MODEL.has(metatype)) return value;
    // A request without a body is one without fields, and says which of them it lacks.
    const request = plainToInstance(metatype as new () => object, value ?? {}, {
      groups: type === 'body' ? [] : [TEXTUAL],
    });
    // An object of no known class loses all its fields to the whitelist, so it need not be forbidden.
    const errors = validateSync(request, { whitelist: true, stopAtFirstError: true, forbidUnknownValues: false });
    if (errors.length > 0) throw new InvalidRequest(faultsIn(errors, ''));
    return request;
  }
}

/** Every fault by its path (`emails[0].email`), in the order in which the fields are declared, inherited ones first. */
function faultsIn(errors: readonly ValidationError[], parent: string): FieldError[] {
  const names = Object.keys(errors[0]?.target ?? {});
  const rank = ({ property }: ValidationError) => (names.includes(property) ? names.indexOf(property) : names.length);
  return errors
    .toSorted((one, other) => rank(one) - rank(other))
    .flatMap((error) => {
      const [constraint] = Object.keys(error.constraints ?? {});
      if (constraint === undefined) return faultsIn(error.children ?? [], pathOf(error, error.property, parent));
      const message = predicate(error.constraints![constraint]!, error.property);
      const group = error.contexts?.[constraint] as GroupContext | undefined;
      if (group?.toldOf) return [{ field: pathOf(error, group.toldOf, parent), rule: constraint, message }];
      const path = pathOf(error, error.property, parent);
      const items = refusedItems(error, constraint);
      return items.length > 0
        ? items.map((index) => faultOf((error.value as unknown[])[index], `${path}[${index}]`, constraint, message))
        : [faultOf(error.value, path, constraint, message)];
    });
}

function pathOf({ target }: ValidationError, name: string, parent: string): string {
  if (Array.isArray(target)) return `${parent}[${name}]`;
  return parent === '' ? name : `${parent}.${name}`;
}

function faultOf(value: unknown, field: string, constraint: string, message: string): FieldError {
  if (value === undefined) return { field, rule: 'required', message: 'is required' };
  if (value !== null) return { field, rule: ruleOf(constraint), message };
  return { field, rule: 'null', message: constraint === IS_DEFINED ? message : 'must not be null' };
}

/** The items that a constraint on `each` refuses: the library says only that there are some. */
function refusedItems({ target, property, value }: ValidationError, constraint: string): number[] {
  const metadata = storage
    .getTargetValidationMetadatas(target!.constructor, '', false, false)
    .find((known) => known.each && known.propertyName === property && known.name === constraint);
  if (!metadata || !Array.isArray(value)) return [];
  const { constraints } = metadata;
  return storage.getTargetValidatorConstraints(metadata.constraintCls).flatMap(({ instance }) =>
    value.flatMap((item: unknown, index) => {
      const context = { value: item, constraints, targetName: target!.constructor.name, object: target!, property };
      return instance.validate(item, context) ? [] : [index];
    }),
  );
}

/** The stable rules for the library's constraints, where they are not as `ruleOf` makes them. */
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

/** `isEmail` and its like ask for a `format`; any other constraint is a rule by its own name, as `min` has. */
function ruleOf(constraint: string): string {
  const snakeCase = constraint.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return RULES[constraint] ?? (/^is[A-Z]/.test(constraint) ? 'format' : snakeCase);
}

/** Without the field's name, with which the library's own messages begin. */
function predicate(message: string, property: string): string {
  const plain = message.replace(/^each value in /, '');
  return plain.startsWith(`${property} `) ? plain.slice(property.length + 1) : plain;
}
