import type { ArgumentMetadata } from '@nestjs/common';
import { ValidationPipe } from '../../../src/edge/http/validation.pipe.js';
import { InvalidRequest } from '../../../src/kernel/errors.js';

const pipe = new ValidationPipe();

/** The request of class `model` that the pipe makes of a body or query. */
export function read<T>(model: new () => T, value: unknown, type: ArgumentMetadata['type'] = 'body'): T {
  return pipe.transform(value, { type, metatype: model }) as T;
}

/** The errors that the pipe reports, as `field: rule`. */
export function faultsOf(model: new () => object, value: unknown, type?: ArgumentMetadata['type']): string[] {
  try {
    read(model, value, type);
  } catch (error) {
    if (error instanceof InvalidRequest) return error.fields.map(({ field, rule }) => `${field}: ${rule}`);
    throw error;
  }
  return [];
}

/** A class whose only field is `x`. */
export function modelOf(decorator: PropertyDecorator): new () => { x: unknown } {
  class Model {
    x: unknown;
  }
  decorator(Model.prototype, 'x');
  return Model;
}
