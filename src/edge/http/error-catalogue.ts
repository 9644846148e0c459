import type { DomainErrorClass } from '../../kernel/domain-error.js';
import { addToExtension } from '../openapi/swagger-internals.js';

/** Name of the OpenAPI extension that lists an operation's error types. The document's error responses are generated from it. */
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
  return (_target, _key, descriptor) =>
    addToExtension(
      descriptor.value as object,
      ERROR_TYPES,
      classes.map(({ code }) => code),
    );
}
