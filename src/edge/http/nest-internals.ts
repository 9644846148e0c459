import { Req, RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { requireVersion } from '../../postgres/written-for.js';

requireVersion('@nestjs/common', '12.5');

export function handlesPost(handler: object): boolean {
  return Reflect.getMetadata(METHOD_METADATA, handler) === RequestMethod.POST;
}

export function handlesChange(handler: object): boolean {
  const method = Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined;
  return method !== undefined && method !== RequestMethod.GET;
}

/** Appends the request to the arguments of a handler and returns its index. */
export function appendRequest(prototype: object, name: string): number {
  const parameters = Reflect.getMetadata(ROUTE_ARGS_METADATA, prototype.constructor, name) as object | undefined;
  // Each key is the kind of a parameter and its index, such as `3:0`.
  const indexes = Object.keys(parameters ?? {}).map((key) => Number(key.split(':')[1]));
  const index = Math.max(-1, ...indexes) + 1;
  Req()(prototype, name, index);
  return index;
}
