import type { UserId } from '../../../kernel/ids.js';
import { LoginRefused } from '../../../kernel/refusals.js';

export class InvalidMagicToken extends LoginRefused {
  static override readonly code = 'invalid_magic_token';
  static override readonly kind = 'invalid';
  static override readonly help =
    'The token is unknown, spent, void or of another app. A link is void when a newer link was sent to the same address, or ' +
    'when it was followed too often on another device. Send a new link.';
  constructor(userId?: UserId) {
    super('The magic link is not valid. Send a new one.', userId);
  }
}

export class MagicLinkExpired extends LoginRefused {
  static override readonly code = 'magic_link_expired';
  static override readonly kind = 'invalid';
  static override readonly help = 'The link was not followed within its lifetime. Send a new one.';
  constructor(userId?: UserId) {
    super('The magic link has expired. Send a new one.', userId);
  }
}

export class DeviceMismatch extends LoginRefused {
  static override readonly code = 'device_mismatch';
  static override readonly kind = 'invalid';
  static override readonly help =
    'The link was created for one device (`device_fingerprint`) and followed on another. Each field given at creation must ' +
    'have the same value at verification. The link is not spent, but 5 such attempts void it.';
  constructor(userId?: UserId) {
    super('The magic link was created for another device. Open it on that device.', userId);
  }
}
