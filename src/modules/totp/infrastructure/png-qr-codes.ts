import { Injectable } from '@nestjs/common';
import { crc32, deflateSync } from 'node:zlib';
import { create } from 'qrcode';
import { QrCodes } from '../domain/key-uri.js';

/** Pixels per module. */
const SCALE = 5;
/** Modules (ISO/IEC 18004). */
const QUIET_ZONE = 4;

/** The PNG output of the library stores four channels per pixel and blocks the event loop for milliseconds; one bit takes a tenth. */
@Injectable()
export class PngQrCodes extends QrCodes {
  png(text: string): Buffer {
    // The library's search for the best mode and mask takes ten times as long as the rest; every reader accepts any of them.
    const bytes = [{ data: Buffer.from(text), mode: 'byte' as const }];
    const { modules } = create(bytes, { errorCorrectionLevel: 'M', maskPattern: 0 });
    const side = (modules.size + 2 * QUIET_ZONE) * SCALE;
    return Buffer.concat([SIGNATURE, chunk('IHDR', header(side)), chunk('IDAT', pixels(modules, side)), chunk('IEND')]);
  }
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Bit depth 1, greyscale (1 is white), no interlacing. */
function header(side: number): Buffer {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(side, 0);
  data.writeUInt32BE(side, 4);
  data[8] = 1;
  return data;
}

function pixels({ size, data }: { size: number; data: Uint8Array }, side: number): Buffer {
  // Each row begins with its filter byte, 0 for none.
  const width = 1 + Math.ceil(side / 8);
  const rows = Buffer.alloc(width * side, 0xff);
  for (let y = 0; y < side; y++) rows[y * width] = 0;
  for (let row = 0; row < size; row++) {
    const start = (row + QUIET_ZONE) * SCALE * width;
    for (let column = 0; column < size; column++) {
      if (!data[row * size + column]) continue;
      const left = (column + QUIET_ZONE) * SCALE;
      for (let x = left; x < left + SCALE; x++) rows[start + 1 + (x >> 3)]! &= ~(0x80 >> (x & 7));
    }
    for (let copy = 1; copy < SCALE; copy++) rows.copy(rows, start + copy * width, start, start + width);
  }
  return deflateSync(rows, { level: 3 });
}

function chunk(type: string, data: Uint8Array = new Uint8Array()): Buffer {
  const end = 8 + data.length;
  const whole = Buffer.alloc(end + 4);
  whole.writeUInt32BE(data.length, 0);
  whole.write(type, 4);
  whole.set(data, 8);
  whole.writeUInt32BE(crc32(whole.subarray(4, end)), end);
  return whole;
}
