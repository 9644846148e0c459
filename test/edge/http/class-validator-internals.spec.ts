import { getMetadataStorage, IsUUID, Length, Max, Min, validateSync, ValidateNested } from 'class-validator';
import { cacheConstraints, refusedItems } from '../../../src/edge/http/class-validator-internals.js';

class Parent {
  @Min(1) readonly count: number = 1;
}
class Child extends Parent {
  @Max(5) override readonly count: number = 1;
  @Length(1, 3, { each: true }) readonly words: string[] = [];
  @IsUUID(undefined, { each: true }) readonly keys: string[] = [];
  @ValidateNested() readonly parent: Parent = new Parent();
}

function errorsOf<T extends object>(model: new () => T, changes: Partial<T>) {
  return validateSync(Object.assign(new model(), changes), { forbidUnknownValues: false });
}

const constraintsOf = <T extends object>(model: new () => T, changes: Partial<T>) =>
  errorsOf(model, changes).map(({ property, constraints, children }) => ({ property, constraints, children }));

describe('the private parts of class-validator that the service uses', () => {
  const wrong = { count: 9, words: ['a', '', 'long'], keys: ['x'], parent: Object.assign(new Parent(), { count: 0 }) };

  it('the cache changes no result of a class, of its parent or of a nested object', () => {
    const storage = getMetadataStorage();
    const before = [constraintsOf(Child, wrong), constraintsOf(Parent, { count: 0 }), constraintsOf(Child, {})];
    expect(before.map((errors) => errors.length)).toEqual([4, 1, 0]);
    cacheConstraints();
    for (let call = 0; call < 2; call++) {
      expect([constraintsOf(Child, wrong), constraintsOf(Parent, { count: 0 }), constraintsOf(Child, {})]).toEqual(
        before,
      );
    }
    expect(storage.getTargetValidationMetadatas(Child, '', false, false)).toBe(
      storage.getTargetValidationMetadatas(Child, '', false, false),
    );
  });

  it('the cache does not answer for a validation by groups', () => {
    cacheConstraints();
    const storage = getMetadataStorage();
    expect(storage.getTargetValidationMetadatas(Parent, '', false, false)).toHaveLength(1);
    expect(storage.getTargetValidationMetadatas(Parent, '', false, false, ['none'])).toHaveLength(0);
  });

  it('finds the items that a constraint with `each` refuses', () => {
    const errors = new Map(errorsOf(Child, wrong).map((error) => [error.property, error]));
    expect(refusedItems(errors.get('words')!, 'isLength')).toEqual([1, 2]);
    expect(refusedItems(errors.get('keys')!, 'isUuid')).toEqual([0]);
    expect(refusedItems(errors.get('count')!, 'max')).toEqual([]);
  });
});
