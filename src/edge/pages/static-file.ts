import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Request, Response } from 'express';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { PAGE_HEADERS } from './html-page.js';

/** The smallest first. */
const CODINGS = ['br', 'gzip'] as const;
type Coding = (typeof CODINGS)[number] | 'identity';

/** Higher qualities take seconds for the largest file and make it 4 % smaller. */
const BROTLI_QUALITY = 9;

const COMPRESS: Readonly<Record<Exclude<Coding, 'identity'>, (content: Buffer) => Promise<Buffer>>> = {
  br: (content) => promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  gzip: (content) => promisify(gzip)(content, { level: constants.Z_BEST_COMPRESSION }),
};

/** The first request reads and compresses the file, so a start costs nothing and a replica without pages keeps none in memory. */
export class StaticFile {
  private content: Buffer | undefined;
  private hash: string | undefined;
  private readonly compressed: Partial<Record<Coding, Promise<Buffer>>> = {};

  constructor(
    private readonly read: () => Buffer,
    private readonly type: string,
    private readonly cacheControl: string,
  ) {}

  async send(request: Request, response: Response): Promise<void> {
    const content = (this.content ??= this.read());
    this.hash ??= createHash('sha256').update(content).digest('base64url').slice(0, 22);
    const coding = this.codingFor(request);
    response.setHeader('Cache-Control', this.cacheControl);
    response.setHeader('Vary', 'Accept-Encoding');
    response.setHeader('ETag', `"${this.hash}-${coding}"`);
    if (request.fresh) {
      response.status(304).end();
      return;
    }
    const body = await this.as(coding, content);
    response.setHeader('Content-Type', this.type);
    if (coding !== 'identity') response.setHeader('Content-Encoding', coding);
    response.setHeader('Content-Length', body.length);
    response.end(body);
  }

  private codingFor(request: Request): Coding {
    // These formats are compressed.
    if (['image/png', 'font/woff2'].includes(this.type)) return 'identity';
    const accepted = request.acceptsEncodings();
    return CODINGS.find((coding) => accepted.includes(coding)) ?? 'identity';
  }

  private as(coding: Coding, content: Buffer): Promise<Buffer> | Buffer {
    if (coding === 'identity') return content;
    return (this.compressed[coding] ??= COMPRESS[coding](content));
  }
}

export function pagePolicy(...own: readonly string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    ...own,
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

export function setPageHeaders(response: Response, policy: string): void {
  response.setHeader('Content-Security-Policy', policy);
  for (const [name, value] of Object.entries(PAGE_HEADERS)) response.setHeader(name, value);
}

export function pagesOf(app: NestExpressApplication) {
  const http = app.getHttpAdapter().getInstance();
  return {
    page: (path: string, policy: string, html: string): void => {
      http.get(path, (_request, response) => {
        setPageHeaders(response, policy);
        response.type('html').send(html);
      });
    },
    file: (path: string, read: () => Buffer, type: string): void => {
      const served = new StaticFile(read, type, 'public, max-age=300');
      http.get(path, (request, response) => served.send(request, response));
    },
  };
}
