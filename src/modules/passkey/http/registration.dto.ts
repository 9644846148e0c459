import { IdOf, MAX_LENGTH, OneOf, Text } from '../../../edge/http/fields.js';
import type { UserId } from '../../../kernel/ids.js';
import { SessionArgumentsRequest, SessionFieldsResponse } from '../../session/index.js';
import type { BegunRegistration } from '../application/begin-registration.js';
import type { VerifiedPasskey } from '../application/register-passkey.js';
import { CHALLENGE_SECONDS } from '../domain/challenge.js';
import { ALGORITHMS, userHandleOf } from '../domain/passkey.js';
import { CredentialDescriptorResponse, PublicKeyCredential } from './credential.dto.js';

export const AUTHENTICATOR_TYPES = ['platform', 'cross-platform'] as const;
export type AuthenticatorType = (typeof AUTHENTICATOR_TYPES)[number];

export class BeginRegistrationRequest {
  @IdOf('user')
  readonly user_id: UserId;

  /** The app's `rp_id`, when given. */
  @Text({ max: 253, optional: true })
  readonly domain?: string;

  /** `platform`: of the user's device. `cross-platform`: a security key or another device. Without it: any. */
  @OneOf(AUTHENTICATOR_TYPES, { optional: true })
  readonly authenticator_type?: AuthenticatorType;
}

export class RelyingPartyResponse {
  readonly id: string;
  readonly name: string;
}

export class AuthenticatorUserResponse {
  /** Base64url. */
  readonly id: string;
  readonly name: string;
  readonly displayName: string;
}

export class CredentialParametersResponse {
  /** Always `public-key`. */
  readonly type: string;
  /** A COSE algorithm: -7 (ES256), -8 (EdDSA) or -257 (RS256). */
  readonly alg: number;
}

export class AuthenticatorSelectionResponse {
  readonly authenticatorAttachment?: string;
  readonly residentKey: string;
  readonly requireResidentKey: boolean;
  readonly userVerification: string;
}

/** For `PublicKeyCredential.parseCreationOptionsFromJSON` of browsers. */
export class CreationOptionsResponse {
  readonly rp: RelyingPartyResponse;
  readonly user: AuthenticatorUserResponse;
  /** Base64url. */
  readonly challenge: string;
  readonly pubKeyCredParams: CredentialParametersResponse[];
  /** Milliseconds. */
  readonly timeout: number;
  /** The user's passkeys: an authenticator that holds one makes no other. */
  readonly excludeCredentials: CredentialDescriptorResponse[];
  readonly authenticatorSelection: AuthenticatorSelectionResponse;
  readonly attestation: string;
}

export class BegunRegistrationResponse {
  readonly user_id: string;
  readonly public_key_credential_creation_options: CreationOptionsResponse;

  static of(
    { userId, settings, challenge, account, fullName, known }: BegunRegistration,
    appName: string,
    authenticatorType: AuthenticatorType | undefined,
  ): BegunRegistrationResponse {
    return {
      user_id: userId,
      public_key_credential_creation_options: {
        rp: { id: settings.rpId, name: settings.rpName ?? appName },
        user: { id: userHandleOf(userId), name: account, displayName: fullName || account },
        challenge,
        pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
        timeout: CHALLENGE_SECONDS * 1_000,
        excludeCredentials: known.map(CredentialDescriptorResponse.of),
        authenticatorSelection: {
          ...(authenticatorType && { authenticatorAttachment: authenticatorType }),
          residentKey: 'preferred',
          requireResidentKey: false,
          userVerification: 'required',
        },
        attestation: 'none',
      },
    };
  }
}

export class CreateRegistrationRequest extends SessionArgumentsRequest {
  @IdOf('user')
  readonly user_id: UserId;

  /** The answer of the browser to the options, unchanged: an object or JSON text. */
  @PublicKeyCredential()
  readonly public_key_credential: object | string;

  /** By which the user recognises the passkey. */
  @Text({ max: MAX_LENGTH.name })
  readonly name: string = '';
}

/** A passkey that was registered or has signed in, and the session if one was asked for. */
export class VerifiedPasskeyResponse extends SessionFieldsResponse {
  /** Begins with `webauthn_`. */
  readonly webauthn_credential_id: string;
  readonly user_id: string;

  static async of({ passkey, session }: VerifiedPasskey): Promise<VerifiedPasskeyResponse> {
    return {
      webauthn_credential_id: passkey.id,
      user_id: passkey.userId,
      ...(await SessionFieldsResponse.fieldsOf(session)),
    };
  }
}
