import { Controller } from '@nestjs/common';
import { declaredTags, OperationGroup, requireDeclaredTags } from '../../../src/edge/openapi/tags.js';

const namesAround = (name: string): string[] => {
  const names = declaredTags().map((tag) => tag.name);
  return names.slice(names.indexOf(name), names.indexOf(name) + 3);
};

describe('a group of operations that a controller declares', () => {
  it('follows the group that it names, and groups that follow the same one are sorted by name', () => {
    const [, next] = namesAround('totps');

    @OperationGroup({ name: 'test letters', description: 'Login by letter.', after: 'totps' })
    @Controller('letters')
    class Letters {}

    expect(namesAround('totps')).toEqual(['totps', 'test letters', next]);
    OperationGroup({ name: 'test faxes', description: 'Login by fax.', after: 'totps' });
    expect(namesAround('totps')).toEqual(['totps', 'test faxes', 'test letters']);
    expect(declaredTags()).toContainEqual({ name: 'test letters', description: 'Login by letter.' });
    expect(Reflect.getMetadata('swagger/apiUseTags', Letters)).toEqual(['test letters']);
    expect(() => requireDeclaredTags('letters_send', ['test letters'])).not.toThrow();
  });

  it('cannot have the name of another group', () => {
    const group = { description: 'Users.', after: 'users' } as const;
    expect(() => OperationGroup({ name: 'users', ...group })).toThrow('users of operations is declared already');
    OperationGroup({ name: 'test twice', ...group });
    expect(() => OperationGroup({ name: 'test twice', ...group })).toThrow('declared already');
  });
});

describe('an operation', () => {
  it.each([[[]], [['users', 'test pigeons']]])('with the tags %j is refused, and the error names it', (tags) => {
    expect(() => requireDeclaredTags('pigeons_send', tags)).toThrow('The tags of pigeons_send are not declared');
  });
});
