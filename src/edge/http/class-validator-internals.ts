import { getMetadataStorage, type ValidationError } from 'class-validator';
import { remembered } from '../../kernel/collections.js';
import { requireVersion } from '../../postgres/written-for.js';

// The only file that uses private parts of class-validator. test/edge/http/class-validator-internals.spec.ts is its test.
requireVersion('class-validator', '0.15');

const storage = getMetadataStorage();

/**
 * Keeps the constraints of a class after its first validation. class-validator searches the decorators of all classes for
 * each object it validates: with 81 request classes that takes 12 to 18 µs, 3 % of a short POST, and more with every class.
 */
export function cacheConstraints(): void {
  const find = Object.getPrototypeOf(storage)
    .getTargetValidationMetadatas as typeof storage.getTargetValidationMetadatas;
  const known = new Map<unknown, ReturnType<typeof find>>();
  storage.getTargetValidationMetadatas = (target, schema, always, strictGroups, groups) => {
    if (schema || groups?.length) return find.call(storage, target, schema, always, strictGroups, groups);
    let constraints = known.get(target);
    if (!constraints) {
      constraints = find.call(storage, target, schema, always, strictGroups, groups);
      known.set(target, constraints);
    }
    return constraints;
  };
}

/** The fields of a class that have a constraint, which are those that a request takes. */
export const fieldsTakenBy = remembered((model: new () => object): ReadonlySet<string> => {
  const constraints = storage.getTargetValidationMetadatas(model, '', false, false);
  return new Set(constraints.map(({ propertyName }) => propertyName));
});

/** The indexes of the items that a constraint with `each` refuses. class-validator itself reports only that there are some. */
export function refusedItems({ target, property, value }: ValidationError, constraint: string): number[] {
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
