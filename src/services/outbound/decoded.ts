import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { OutboundFailed } from './outbound.errors.js';

type Decode = (body: Buffer, options: { readonly maxOutputLength: number }) => Promise<Buffer>;

const gunzip = promisify(zlib.gunzip) as Decode;
const inflate = promisify(zlib.inflate) as Decode;
const inflateRaw = promisify(zlib.inflateRaw) as Decode;

/** RFC 9110, section 8.4.1. Many servers send `deflate` without the zlib header, whose first byte ends in 8. */
const DECODERS: Readonly<Record<string, Decode>> = {
  gzip: gunzip,
  'x-gzip': gunzip,
  deflate: (body, options) => ((body[0]! & 0x0f) === 8 ? inflate : inflateRaw)(body, options),
  br: promisify(zlib.brotliDecompress) as Decode,
};

/** Each coding costs a pass over `maxBytes`, and a header could name thousands. */
const MOST_CODINGS = 2;

/** Throws `OutboundFailed`: `too_large` before more than `maxBytes` are decoded, else `undecodable`. */
export async function decoded(
  body: Buffer,
  contentEncoding: string | undefined,
  { maxBytes, host }: { readonly maxBytes: number; readonly host: string },
): Promise<Buffer> {
  const names = (contentEncoding ?? '').split(',').map((name) => name.trim().toLowerCase());
  const codings = names.filter((name) => name !== '' && name !== 'identity');
  if (codings.length > MOST_CODINGS) throw new OutboundFailed('undecodable', host);
  let plain = body;
  for (const coding of codings.toReversed()) {
    if (plain.length === 0) break;
    const decode = Object.hasOwn(DECODERS, coding) ? DECODERS[coding]! : undefined;
    if (!decode) throw new OutboundFailed('undecodable', host);
    try {
      plain = await decode(plain, { maxOutputLength: maxBytes });
    } catch (cause) {
      const isTooLarge = (cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
      throw new OutboundFailed(isTooLarge ? 'too_large' : 'undecodable', host, { cause });
    }
  }
  return plain;
}
