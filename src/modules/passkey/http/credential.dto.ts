import { AnyOf, JsonObject } from '../../../edge/http/compound-fields.js';
import type { FieldDecorator } from '../../../edge/http/field.js';
import { Text } from '../../../edge/http/fields.js';
import type { PasskeyDescriptor } from '../domain/passkey.js';

/** What `navigator.credentials` returned, as its `toJSON()` gives it, or the same as JSON text. */
export function PublicKeyCredential(): FieldDecorator {
  return AnyOf([JsonObject(), Text({ min: 1, max: 65_536 })]);
}

/** A passkey as WebAuthn's options name it. */
export class WebauthnDescriptorResponse {
  /** Always `public-key`. */
  readonly type: string;
  /** Base64url. */
  readonly id: string;
  readonly transports: string[];

  static of(this: void, { credentialId, transports }: PasskeyDescriptor): WebauthnDescriptorResponse {
    return { type: 'public-key', id: credentialId, transports: [...transports] };
  }
}
