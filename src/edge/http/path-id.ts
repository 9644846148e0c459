import { Param, type PipeTransform } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import type { DomainError, DomainErrorClass } from '../../kernel/domain-error.js';
import { Refuses } from '../errors/error-catalogue.js';
import { type Id, ID_PREFIXES, ID_SUFFIX, type IdKind, isId } from '../../kernel/ids.js';

/** An id of another form or kind gets the response for an unknown id, which the document states. Its example is an object of the demo app. */
export function PathId<K extends IdKind>(
  name: string,
  kind: K,
  NotFound: DomainErrorClass & (new () => DomainError),
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
    const descriptor = Object.getOwnPropertyDescriptor(target, key!)!;
    Refuses(NotFound)(target, key!, descriptor);
    ApiParam({
      name,
      description: `Begins with \`${ID_PREFIXES[kind]}_\`.`,
      schema: {
        type: 'string',
        pattern: `^${ID_PREFIXES[kind]}_${ID_SUFFIX}$`,
        ...(example !== undefined && { example }),
      },
    })(target, key!, descriptor);
  };
}
