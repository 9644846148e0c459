import { Injectable } from '@nestjs/common';
// The default export is needed, because its functions call each other through `this`.
import speakeasy from 'speakeasy';
import { DIGITS, ONE_TIME_CODE, OneTimeCodes, STEP_SECONDS } from '../domain/totp.js';

/** The library would read `19421x` as 019421, read a window given as text as a much wider one, and misread secrets that are not bytes. */
@Injectable()
export class SpeakeasyOneTimeCodes extends OneTimeCodes {
  stepOf(code: string, secret: Buffer, at: Date): number | null {
    if (!ONE_TIME_CODE.test(code) || secret.length === 0) return null;
    const now = Math.floor(at.getTime() / 1000 / STEP_SECONDS);
    const found = speakeasy.totp.verifyDelta({
      // Its types allow only text, but it accepts bytes.
      secret: secret as unknown as string,
      token: code,
      counter: now,
      window: 1,
      digits: DIGITS,
      algorithm: 'sha1',
    });
    return found ? now + found.delta : null;
  }
}
