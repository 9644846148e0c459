import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { InvalidRequest } from './errors.js';
import { readObject, Reading } from './fields.js';

const NOT_A_MODEL: ReadonlySet<unknown> = new Set([undefined, String, Number, Boolean, Array, Object, Date]);

/**
 * Turns a body or query into its request class by the field decorators. Fields that are not declared are dropped;
 * all faults are refused together.
 */
@Injectable()
export class ValidationPipe implements PipeTransform {
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if (type === 'custom' || NOT_A_MODEL.has(metatype)) return value;
    const reading = new Reading(type !== 'body');
    // A request without a body is one without fields, and says which of them it lacks.
    const object = readObject(metatype as new () => object, (value as object | undefined) ?? {}, '', reading);
    if (reading.faults.length > 0) throw new InvalidRequest(reading.faults);
    return object;
  }
}
