import { DomainError } from '../../../kernel/domain-error.js';

export class InvalidMagicToken extends DomainError {
  static override readonly code = 'invalid_magic_token';
  static override readonly kind = 'invalid';
  static override readonly help =
    'The token is unknown, spent, of another app, or no longer good: a newer link was sent to the same address, or the ' +
    'link was followed too often on another device than it was meant for. Send a new link.';
  constructor() {
    super('The magic link is not valid.');
  }
}

export class MagicLinkExpired extends DomainError {
  static override readonly code = 'magic_link_expired';
  static override readonly kind = 'invalid';
  static override readonly help = 'The link was not followed within its lifetime. Send a new one.';
  constructor() {
    super('The magic link has expired.');
  }
}

export class DeviceMismatch extends DomainError {
  static override readonly code = 'device_mismatch';
  static override readonly kind = 'invalid';
  static override readonly help =
    'The link was made for one device (`device_fingerprint`) and followed on another. Each field given when it was made ' +
    'must be given again, the same. The link is not spent, but some such attempts void it.';
  constructor() {
    super('The magic link was made for another device.');
  }
}
