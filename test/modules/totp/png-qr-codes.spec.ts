import { randomBytes } from 'node:crypto';
import { PNG } from 'pngjs';
import { base32 } from '../../../src/kernel/base32.js';
import { keyUri } from '../../../src/modules/totp/domain/key-uri.js';
import { PngQrCodes } from '../../../src/modules/totp/infrastructure/png-qr-codes.js';
import { readQrCode } from './qr-reader.js';

const qrCodes = new PngQrCodes();
const uri = (issuer: string, account: string) => keyUri({ issuer, account, secret: base32(randomBytes(20)) });

it('a QR code is read as exactly its text', () => {
  for (let i = 0; i < 8; i++) {
    const text = uri('Acme', `user${i}@example.com`);
    expect(readQrCode(qrCodes.png(text))).toBe(text);
  }
});

it('a QR code with the longest names is readable', () => {
  const text = uri('株'.repeat(256), 'é'.repeat(254));
  expect(text.length).toBeGreaterThan(500);
  expect(readQrCode(qrCodes.png(text))).toBe(text);
});

it('a QR code has a quiet zone of four modules and one bit per pixel', () => {
  const png = qrCodes.png(uri('Acme', 'ann@example.com'));
  expect([...png.subarray(24, 26)]).toEqual([1, 0]);
  const { data, width, height } = PNG.sync.read(png);
  expect(width).toBe(height);
  const isDark = (x: number, y: number) => data[(y * width + x) * 4] === 0;
  const dark = Array.from({ length: width * height }, (_, at) => [at % width, Math.floor(at / width)] as const).filter(
    ([x, y]) => isDark(x, y),
  );
  const xs = dark.map(([x]) => x);
  const ys = dark.map(([, y]) => y);
  const left = Math.min(...xs);
  expect([Math.min(...ys), width - 1 - Math.max(...xs), height - 1 - Math.max(...ys)]).toEqual([left, left, left]);
  // The first dark run is a finder pattern, seven modules wide.
  let finder = 0;
  while (isDark(left + finder, left)) finder++;
  expect(left).toBe((finder / 7) * 4);
});
