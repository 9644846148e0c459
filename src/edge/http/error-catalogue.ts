import type { DomainErrorClass } from '../../kernel/domain-error.js';

/** Name of the OpenAPI extension that lists an operation's error types; the document's responses are made from it. */
export const ERROR_TYPES = 'x-error-types';

const catalogue = new Map<string, DomainErrorClass>();

/** Every error type the service can answer with, by code: what the routes declare with `@Refuses` and what the edge refuses itself. */
export function errorCatalogue(): ReadonlyMap<string, DomainErrorClass> {
  return catalogue;
}

/** Enters error classes into the catalogue. Two classes of one code would be two meanings of one word, so that throws. */
export function enterIntoCatalogue(classes: readonly DomainErrorClass[]): void {
  for (const type of classes) {
    const known = catalogue.get(type.code);
    if (known && known !== type)
      throw new Error(`Two error classes share the code ${type.code}: ${known.name}, ${type.name}`);
    catalogue.set(type.code, type);
  }
}

/** Declares what a route may refuse with: documents it and enters it into the catalogue. May be given several times. */
export function Refuses(...classes: DomainErrorClass[]): MethodDecorator {
  enterIntoCatalogue(classes);
  return (_target, _key, descriptor) => {
    const handler = descriptor.value as object;
    // Not through ApiExtension, which lets what was declared first win instead of joining.
    const extensions = (Reflect.getMetadata(API_EXTENSION, handler) as Record<string, string[]> | undefined) ?? {};
    const codes = [...new Set([...(extensions[ERROR_TYPES] ?? []), ...classes.map(({ code }) => code)])];
    Reflect.defineMetadata(API_EXTENSION, { ...extensions, [ERROR_TYPES]: codes }, handler);
  };
}

/** Where @nestjs/swagger keeps an operation's extensions. */
const API_EXTENSION = 'swagger/apiExtension';
