import { loginRefusal } from '../../../kernel/refusals.js';

export class InvalidMagicToken extends loginRefusal('invalid', 'invalid_magic_token', {
  message: 'The magic link is not valid. Send a new one.',
  help: 'The token is unknown, spent, void or of another app. A link is void when a newer link was sent to the same address, or when it was followed too often on another device. Send a new link.',
}) {}

export class MagicLinkExpired extends loginRefusal('invalid', 'magic_link_expired', {
  message: 'The magic link has expired. Send a new one.',
  help: 'The link was not followed within its lifetime. Send a new one.',
}) {}

export class DeviceMismatch extends loginRefusal('invalid', 'device_mismatch', {
  message: 'The magic link was created for another device. Open it on that device.',
  help: 'The link was created for one device (`device_fingerprint`) and followed on another. Each field given at creation must have the same value at verification. The link is not spent, but 5 such attempts void it.',
}) {}
