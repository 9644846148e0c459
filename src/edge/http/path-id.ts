import { Param, type PipeTransform } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import type { DomainError } from '../../kernel/domain-error.js';
import { type Id, ID_PREFIXES, ID_SUFFIX, type IdKind, isId } from '../../kernel/ids.js';

/** An id of another form or kind gets the response for an unknown id. By default its example is an object of the demo app. */
export function PathId<K extends IdKind>(
  name: string,
  kind: K,
  NotFound: new () => DomainError,
  { example }: { readonly example?: Id<K> } = {},
): ParameterDecorator {
  const pipe: PipeTransform = {
    transform(value: unknown): unknown {
      if (!isId(kind, value)) throw new NotFound();
      return value;
    },
  };
  return (target, key, index) => {
    Param(name, pipe)(target, key, index);
    const descriptor = Object.getOwnPropertyDescriptor(target, key as string) as PropertyDescriptor;
    ApiParam({
      name,
      description: `Begins with \`${ID_PREFIXES[kind]}_\`.`,
      schema: {
        type: 'string',
        pattern: `^${ID_PREFIXES[kind]}_${ID_SUFFIX}$`,
        ...(example !== undefined && { example }),
      },
    })(target, key as string, descriptor);
  };
}
