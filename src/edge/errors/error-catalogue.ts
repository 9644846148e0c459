import { ApiExtension } from '@nestjs/swagger';
import type { DomainErrorClass } from '../../kernel/domain-error.js';

/** The document's error responses are generated from the extensions that begin with this. */
export const ERROR_TYPES = 'x-error-types';

const catalogue = new Map<string, DomainErrorClass>();

export function errorCatalogue(): ReadonlyMap<string, DomainErrorClass> {
  return catalogue;
}

export function enterIntoCatalogue(classes: readonly DomainErrorClass[]): void {
  for (const type of classes) {
    const known = catalogue.get(type.code);
    if (known && known !== type)
      throw new Error(`Two error classes share the code ${type.code}: ${known.name}, ${type.name}`);
    catalogue.set(type.code, type);
  }
}

/** A class of the application that lists what its callers are refused. */
interface UseCase {
  readonly refusals: readonly DomainErrorClass[];
}

/** Documents the errors of a route, one by one or by its use case, and adds them to the catalogue. May be applied several times. */
export function Refuses(...errors: (DomainErrorClass | UseCase)[]): MethodDecorator {
  const classes = errors.flatMap((each) => ('refusals' in each ? each.refusals : each));
  enterIntoCatalogue(classes);
  const codes = classes.map(({ code }) => code);
  // `ApiExtension` ignores a second extension of the same name.
  return ApiExtension([ERROR_TYPES, ...codes].join('-'), codes);
}
