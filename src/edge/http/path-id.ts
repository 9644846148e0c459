import { Param, type PipeTransform } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import type { DomainError } from '../../kernel/domain-error.js';
import { ID_PREFIXES, ID_SUFFIX, type IdKind, isId } from '../../kernel/ids.js';

/** A path parameter that is an id. An id of another form or kind is answered like an unknown id. */
export function PathId(name: string, kind: IdKind, NotFound: new () => DomainError): ParameterDecorator {
  const pipe: PipeTransform = {
    transform(value: unknown): unknown {
      if (!isId(kind, value)) throw new NotFound();
      return value;
    },
  };
  return (target, key, index) => {
    Param(name, pipe)(target, key, index);
    const descriptor = Object.getOwnPropertyDescriptor(target, key as string) as PropertyDescriptor;
    ApiParam({ name, schema: { type: 'string', pattern: `^${ID_PREFIXES[kind]}_${ID_SUFFIX}$` } })(
      target,
      key as string,
      descriptor,
    );
  };
}
