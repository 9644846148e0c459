import { AnyOf, JsonObject } from '../../../edge/http/compound-fields.js';
import type { FieldDecorator } from '../../../edge/http/field.js';
import { Text } from '../../../edge/http/fields.js';
import type { PasskeyDescriptor } from '../domain/passkey.js';
import { Example } from '../../../edge/openapi/plugin-schemas.js';

const EXAMPLE = {
  id: 'ZGVtbyBjcmVkZW50aWFs',
  rawId: 'ZGVtbyBjcmVkZW50aWFs',
  type: 'public-key',
  response: { clientDataJSON: 'e30' },
  clientExtensionResults: {},
};

/** The credential that `navigator.credentials` returned, as its `toJSON()` gives it, or the same as JSON text. */
export function PublicKeyCredential(): FieldDecorator {
  return AnyOf([JsonObject(), Text({ min: 1, max: 65_536 })], { example: EXAMPLE });
}

/** A passkey as WebAuthn's options contain it. */
export class WebauthnDescriptorResponse {
  /** The type of the credential, always `public-key`. */
  @Example('public-key')
  readonly type!: string;
  /** The id of the credential at the authenticator, in base64url. */
  @Example('ZGVtbyBjcmVkZW50aWFs')
  readonly id!: string;
  @Example(['internal'])
  readonly transports!: string[];

  static of(this: void, { credentialId, transports }: PasskeyDescriptor): WebauthnDescriptorResponse {
    return { type: 'public-key', id: credentialId, transports: [...transports] };
  }
}
