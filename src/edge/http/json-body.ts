import { type CanActivate, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import type { Request, Response } from 'express';
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { AuthenticatedRequest } from './authenticated-request.js';
import { MalformedJson, PayloadTooLarge, UnsupportedMediaType } from '../errors/edge-errors.js';
import { nameIgnoredFields } from './ignored-fields.js';
import { parseJsonObject } from './json-text.js';
import { parseParameters } from './request-target.js';

const MAX_BYTES = 256 * 1024;
const WITH_BLANKS = 2;
const LARGEST_JSON = 'largest json';
const LARGER_JSON = 'larger json';

/** Bounds the JSON of a body, without blanks, whose values take long to validate. At most twice as many bytes are read. */
export function LargestJson(bytes: number): MethodDecorator {
  return SetMetadata(LARGEST_JSON, bytes);
}

interface LargerBody {
  readonly bytes: number;
  readonly values: number;
}

/** The route reads its values step by step. */
export function LargerJson(bounds: LargerBody): MethodDecorator {
  return SetMetadata(LARGER_JSON, bounds);
}

/** Forms need no key and their rate is high, so each must be cheap. A provider posts a few kilobytes. */
const MAX_FORM_BYTES = 16 * 1024;
/** A refused body is still read up to these limits: closing the connection of a sending client often loses the response. */
const DISCARD_BYTES = 16 * 1024 * 1024;
const DISCARD_MS = 5000;

/** Identity providers post forms. */
const FORMS = '/v1/auth/oauth/callback/';

/** The guard runs after the credential guard, so the body of a caller without a key is never kept in memory. */
@Injectable()
export class BodyGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<AuthenticatedRequest>();
    if (request.app_?.mode === 'test' && request.url.includes('?'))
      nameIgnoredFields(request.query, http.getResponse<Response>());
    if (!hasBody(request) || request.method === 'GET' || request.method === 'HEAD') return true;
    const largest = Reflect.getMetadata(LARGEST_JSON, context.getHandler()) as number | undefined;
    const larger = Reflect.getMetadata(LARGER_JSON, context.getHandler()) as LargerBody | undefined;
    return this.read(request, http.getResponse<Response>(), largest, larger);
  }

  private async read(
    request: AuthenticatedRequest,
    response: Response,
    largest = Infinity,
    larger?: LargerBody,
  ): Promise<true> {
    try {
      const { parse, maxBytes } = parserOf(request, larger);
      const bound = Math.min(maxBytes, WITH_BLANKS * largest);
      if (Number(request.headers['content-length'] ?? 0) > bound) throw new PayloadTooLarge(bound);
      if (awaitsContinue(request)) invite(request, response);
      const body = await read(request, bound);
      if (body.length === 0) return true;
      const parsed = parse(textOf(body));
      if (body.length > largest && Buffer.byteLength(JSON.stringify(parsed)) > largest)
        throw new PayloadTooLarge(largest);
      request.body = parsed;
      if (request.app_?.mode === 'test') nameIgnoredFields(parsed, response);
      return true;
    } catch (refusal) {
      if (awaitsContinue(request) || !(await discard(request))) response.setHeader('Connection', 'close');
      throw refusal;
    }
  }
}

const invited = new WeakSet<IncomingMessage>();

/** RFC 9110, section 10.1.1. */
function awaitsContinue(request: IncomingMessage): boolean {
  return (
    request.headers.expect?.toLowerCase() === '100-continue' && request.httpVersion === '1.1' && !invited.has(request)
  );
}

function invite(request: IncomingMessage, response: Response): void {
  invited.add(request);
  response.writeContinue();
}

/** The unread rest may be so long, or may not come, that the connection should close. */
export function hasLongBodyUnread(request: Request): boolean {
  if (awaitsContinue(request)) return true;
  if (request.complete || !hasBody(request)) return false;
  const { 'transfer-encoding': isChunked, 'content-length': length } = request.headers;
  return isChunked !== undefined || Number(length) > MAX_BYTES;
}

function hasBody({ headers }: Request): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

const MEDIA_TYPE = /^\s*([^\s;]+)\s*(?:;(.*))?$/;
const CHARSET = /(?:^|;)\s*charset\s*=\s*"?([^\s";]+)/i;

function parserOf(
  { headers, path }: Request,
  larger: LargerBody | undefined,
): { parse: (text: string) => object; maxBytes: number } {
  const [, type = '', parameters = ''] = MEDIA_TYPE.exec(headers['content-type'] ?? '') ?? [];
  const media = type.toLowerCase();
  const isForm = media === 'application/x-www-form-urlencoded' && path.startsWith(FORMS);
  const isJson = media === 'application/json' || (media.startsWith('application/') && media.endsWith('+json'));
  if (!isForm && !isJson)
    throw new UnsupportedMediaType('The request body must be sent as Content-Type: application/json.');
  const charset = CHARSET.exec(parameters)?.[1]?.toLowerCase() ?? 'utf-8';
  if (charset !== 'utf-8' && charset !== 'utf8') throw new UnsupportedMediaType('The request body must be in UTF-8.');
  const coding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (coding !== 'identity')
    throw new UnsupportedMediaType('The request body must be sent without a content encoding.');
  return isJson
    ? { parse: (text) => parseJsonObject(text, larger?.values), maxBytes: larger?.bytes ?? MAX_BYTES }
    : { parse: parseParameters, maxBytes: MAX_FORM_BYTES };
}

function read(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const onData = (chunk: Buffer): void => {
      chunks.push(chunk);
      size += chunk.length;
      if (size > maxBytes) {
        request.off('data', onData).pause();
        reject(new PayloadTooLarge(maxBytes));
      }
    };
    // A client that disconnects ends nothing: the promise is dropped with the request.
    request
      .on('data', onData)
      .once('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size)));
  });
}

function textOf(body: Buffer): string {
  if (!isUtf8(body)) throw new MalformedJson('The request body is not valid UTF-8.');
  // Some editors and serialisers write a byte order mark first.
  return body.toString('utf8').replace(/^\ufeff/, '');
}

/** False if there was too much of it, so that the connection must be closed. */
function discard(request: IncomingMessage): Promise<boolean> {
  if (request.readableEnded) return Promise.resolve(true);
  if (Number(request.headers['content-length'] ?? 0) > DISCARD_BYTES) return Promise.resolve(false);
  return new Promise((resolve) => {
    let left = DISCARD_BYTES;
    const done = (wasAll: boolean): void => {
      clearTimeout(timer);
      request.off('data', onData);
      resolve(wasAll);
    };
    const onData = (chunk: Buffer): void => {
      left -= chunk.length;
      if (left < 0) done(false);
    };
    const timer = setTimeout(() => done(false), DISCARD_MS);
    request
      .once('end', () => done(true))
      .once('close', () => done(false))
      .on('data', onData)
      .resume();
  });
}
