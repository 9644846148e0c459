import jsqr from 'jsqr';
import { PNG } from 'pngjs';

/** What a phone reads off the image. */
export function readQrCode(png: Buffer): string | undefined {
  const { data, width, height } = PNG.sync.read(png);
  return jsqr.default(new Uint8ClampedArray(data), width, height, { inversionAttempts: 'dontInvert' })?.data;
}
