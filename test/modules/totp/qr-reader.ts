import jsqr from 'jsqr';
import { PNG } from 'pngjs';

/** The text in the QR code of the image. */
export function readQrCode(png: Buffer): string | undefined {
  const { data, width, height } = PNG.sync.read(png);
  return jsqr.default(new Uint8ClampedArray(data), width, height, { inversionAttempts: 'dontInvert' })?.data;
}
