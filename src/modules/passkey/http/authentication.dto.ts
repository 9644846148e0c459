import { IdOf } from '../../../edge/http/fields.js';
import type { UserId } from '../../../kernel/ids.js';
import { SessionArgumentsRequest } from '../../session/index.js';
import type { BegunAuthentication } from '../application/begin-authentication.js';
import { CHALLENGE_SECONDS } from '../domain/challenge.js';
import { WebauthnDescriptorResponse, PublicKeyCredential } from './credential.dto.js';
import { Example } from '../../../edge/openapi/plugin-schemas.js';

export class BeginPasskeySignInRequest {
  /** The user who signs in. If absent, the user chooses among the passkeys that the authenticator holds for the domain. */
  @IdOf('user', { optional: true })
  readonly user_id?: UserId;
}

/** The options that `PublicKeyCredential.parseRequestOptionsFromJSON` of browsers takes. */
export class WebauthnRequestOptionsResponse {
  /** The challenge in base64url, valid for one sign-in. */
  @Example('q83vEjRWeJCrze8SNFZ4kA')
  readonly challenge!: string;
  /** The time that the browser waits for the user, in milliseconds. */
  readonly timeout!: number;
  @Example('localhost')
  readonly rpId!: string;
  /** The passkeys of the user; absent if the request names no user. A user without passkeys, known or not, gets ones that do not exist. */
  readonly allowCredentials?: WebauthnDescriptorResponse[];
  @Example('required')
  readonly userVerification!: string;
}

export class BegunPasskeySignInResponse {
  /** The `user_id` of the request; empty if the request has none. */
  readonly user_id!: string;
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

export class VerifyPasskeyRequest extends SessionArgumentsRequest {
  /** The credential that the browser returned for the options, unchanged: an object or JSON text. */
  @PublicKeyCredential()
  readonly public_key_credential!: object | string;
}
