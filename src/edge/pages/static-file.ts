import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Request, RequestHandler, Response } from 'express';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { CallRates } from '../limits/call-rates.js';

/** The smallest first. */
const CODINGS = ['br', 'gzip'] as const;
type Coding = (typeof CODINGS)[number] | 'identity';

/** Higher ones take seconds for the largest file and make it 4 % smaller. */
const BROTLI_QUALITY = 9;

const COMPRESS: Readonly<Record<Exclude<Coding, 'identity'>, (content: Buffer) => Promise<Buffer>>> = {
  br: (content) => promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  gzip: (content) => promisify(gzip)(content, { level: constants.Z_BEST_COMPRESSION }),
};

/**
 * A file that is served from memory. The first request for a coding compresses it, in a thread of the pool, so that a start costs
 * nothing and no request after it does.
 */
export class StaticFile {
  private readonly content: Buffer;
  private readonly hash: string;
  private readonly compressed: Partial<Record<Coding, Promise<Buffer>>> = {};

  constructor(
    content: Buffer | string,
    private readonly type: string,
    private readonly cacheControl: string,
  ) {
    this.content = Buffer.from(content);
    this.hash = createHash('sha256').update(this.content).digest('base64url').slice(0, 22);
  }

  async send(request: Request, response: Response): Promise<void> {
    const coding = this.codingFor(request);
    response.setHeader('Cache-Control', this.cacheControl);
    response.setHeader('Vary', 'Accept-Encoding');
    response.setHeader('ETag', `"${this.hash}-${coding}"`);
    if (request.fresh) {
      response.status(304).end();
      return;
    }
    const body = await this.as(coding);
    response.setHeader('Content-Type', this.type);
    if (coding !== 'identity') response.setHeader('Content-Encoding', coding);
    response.setHeader('Content-Length', body.length);
    response.end(body);
  }

  private codingFor(request: Request): Coding {
    if (this.type === 'image/png') return 'identity';
    const accepted = request.acceptsEncodings();
    return CODINGS.find((coding) => accepted.includes(coding)) ?? 'identity';
  }

  private as(coding: Coding): Promise<Buffer> | Buffer {
    if (coding === 'identity') return this.content;
    return (this.compressed[coding] ??= COMPRESS[coding](this.content));
  }
}

/** Counts a request for a page or a file. Routes outside of Nest pass no guard. */
export function countedAsPage(app: NestExpressApplication): RequestHandler {
  const rates = app.get(CallRates);
  return (request, response, next) => {
    rates.takeForPages(request, response);
    next();
  };
}
