import { IdOf } from '../../../edge/http/fields.js';
import type { UserId } from '../../../kernel/ids.js';
import { SessionArgumentsRequest } from '../../session/index.js';
import type { BegunAuthentication } from '../application/begin-authentication.js';
import { CHALLENGE_SECONDS } from '../domain/challenge.js';
import { WebauthnDescriptorResponse, PublicKeyCredential } from './credential.dto.js';
import { Example } from '../../../edge/openapi/plugin-schemas.js';

export class BeginPasskeySignInRequest {
  /** Without it the user chooses among the passkeys that the authenticator holds for the domain. */
  @IdOf('user', { optional: true })
  readonly user_id?: UserId;
}

/** For `PublicKeyCredential.parseRequestOptionsFromJSON` of browsers. */
export class WebauthnRequestOptionsResponse {
  /** Base64url. */
  @Example('q83vEjRWeJCrze8SNFZ4kA')
  readonly challenge!: string;
  /** Milliseconds. */
  readonly timeout!: number;
  @Example('localhost')
  readonly rpId!: string;
  /** Absent without a user. For a user without passkeys, known or not, it names one that does not exist. */
  readonly allowCredentials?: WebauthnDescriptorResponse[];
  @Example('required')
  readonly userVerification!: string;
}

export class BegunPasskeySignInResponse {
  /** As requested; empty without a user. */
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
  /** The answer of the browser to the options, unchanged: an object or JSON text. */
  @PublicKeyCredential()
  readonly public_key_credential!: object | string;
}
