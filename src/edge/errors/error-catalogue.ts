import { ApiExtension } from '@nestjs/swagger';
import type { DomainErrorClass } from '../../kernel/domain-error.js';

/** The OpenAPI extensions that list an operation's error types begin with this. The document's error responses are generated from them. */
export const ERROR_TYPES = 'x-error-types';

const catalogue = new Map<string, DomainErrorClass>();

/** Every error type of the service by its code: those that routes declare with `@Refuses` and those of the edge. */
export function errorCatalogue(): ReadonlyMap<string, DomainErrorClass> {
  return catalogue;
}

/** Adds error classes to the catalogue. Throws when two classes share a code. */
export function enterIntoCatalogue(classes: readonly DomainErrorClass[]): void {
  for (const type of classes) {
    const known = catalogue.get(type.code);
    if (known && known !== type)
      throw new Error(`Two error classes share the code ${type.code}: ${known.name}, ${type.name}`);
    catalogue.set(type.code, type);
  }
}

/** Declares the errors of a route: documents them and adds them to the catalogue. May be applied several times. */
export function Refuses(...classes: DomainErrorClass[]): MethodDecorator {
  enterIntoCatalogue(classes);
  const codes = classes.map(({ code }) => code);
  // One extension for each declaration, because `ApiExtension` ignores a second one of the same name.
  return ApiExtension([ERROR_TYPES, ...codes].join('-'), codes);
}
