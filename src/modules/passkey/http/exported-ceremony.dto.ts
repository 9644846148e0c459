import { ApiSchema } from '@nestjs/swagger';
import { AnyOf, JsonObject } from '../../../edge/http/compound-fields.js';
import type { FieldDecorator } from '../../../edge/http/field.js';
import { Text } from '../../../edge/http/fields.js';
import { Example } from '../../../edge/openapi/plugin-schemas.js';
import type { UserId } from '../../../kernel/ids.js';
import type { BegunAuthentication } from '../application/sign-in-with-passkey.js';
import { CHALLENGE_SECONDS } from '../domain/authenticators.js';
import type { PasskeyDescriptor } from '../domain/passkey.js';

const EXAMPLE = {
  id: 'ZGVtbyBjcmVkZW50aWFs',
  rawId: 'ZGVtbyBjcmVkZW50aWFs',
  type: 'public-key',
  response: { clientDataJSON: 'e30' },
  clientExtensionResults: {},
};

/** The credential that `navigator.credentials` returned, as its `toJSON()` gives it, or the same as JSON text. Its members may be in base64 too. */
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
  /** The transports by which the authenticator can be reached, such as `internal` or `usb`. They are hints for the browser. */
  @Example(['internal'])
  readonly transports!: string[];

  static of(this: void, { credentialId, transports }: PasskeyDescriptor): WebauthnDescriptorResponse {
    return { type: 'public-key', id: credentialId, transports: [...transports] };
  }
}

/** The options that `PublicKeyCredential.parseRequestOptionsFromJSON` of browsers takes. */
export class WebauthnRequestOptionsResponse {
  /** The challenge in base64url, valid for one sign-in. */
  @Example('q83vEjRWeJCrze8SNFZ4kA')
  readonly challenge!: string;
  /** The time that the browser waits for the user, in milliseconds. */
  @Example(CHALLENGE_SECONDS * 1_000)
  readonly timeout!: number;
  /** The domain that passkeys are bound to: the app's `rp_id`. */
  @Example('localhost')
  readonly rpId!: string;
  /** The passkeys of the user; absent if the request names no user. A user without passkeys, known or not, gets ones that do not exist. */
  @Example([{ type: 'public-key', id: EXAMPLE.id, transports: ['internal'] }])
  readonly allowCredentials?: WebauthnDescriptorResponse[];
  /** Whether the authenticator checks the user, always `required`. */
  @Example('required')
  readonly userVerification!: string;
}

@ApiSchema({ description: 'The options with which the browser signs in.' })
export class BegunPasskeySignInResponse {
  /** The `user_id` of the request; empty if the request has none. */
  readonly user_id!: string;
  /** The options for `navigator.credentials.get`. */
  readonly public_key_credential_request_options!: WebauthnRequestOptionsResponse;

  static of(userId: UserId | undefined, begun: BegunAuthentication): BegunPasskeySignInResponse {
    const { settings, challenge, allowed } = begun;
    return {
      user_id: userId ?? '',
      public_key_credential_request_options: {
        challenge,
        timeout: CHALLENGE_SECONDS * 1_000,
        rpId: settings.rpId,
        ...(allowed && { allowCredentials: allowed.map(WebauthnDescriptorResponse.of) }),
        userVerification: 'required',
      },
    };
  }
}
