import { IdOf, MAX_LENGTH, OneOf, Text } from '../../../edge/http/fields.js';
import type { UserId } from '../../../kernel/ids.js';
import { SessionArgumentsRequest, SessionFieldsResponse } from '../../session/index.js';
import type { BegunRegistration } from '../application/begin-registration.js';
import type { VerifiedPasskey } from '../application/register-passkey.js';
import { CHALLENGE_SECONDS } from '../domain/challenge.js';
import { ALGORITHMS, userHandleOf } from '../domain/passkey.js';
import { WebauthnDescriptorResponse, PublicKeyCredential } from './credential.dto.js';
import { Example } from '../../../edge/openapi/plugin-schemas.js';
import { exampleId, EXAMPLES } from '../../../kernel/examples.js';

export const AUTHENTICATOR_TYPES = ['platform', 'cross-platform'] as const;
export type AuthenticatorType = (typeof AUTHENTICATOR_TYPES)[number];

export class BeginPasskeyRegistrationRequest {
  @IdOf('user')
  readonly user_id!: UserId;

  /** The domain of the passkey; if given, it must be the app's `rp_id`. */
  @Text({ max: 253, optional: true })
  readonly domain?: string;

  /** The kind of authenticator. `platform`: the user's device. `cross-platform`: a security key or another device. Default: any. */
  @OneOf(AUTHENTICATOR_TYPES, { optional: true })
  readonly authenticator_type?: AuthenticatorType;
}

export class WebauthnRelyingPartyResponse {
  @Example('localhost')
  readonly id!: string;
  @Example('Demo')
  readonly name!: string;
}

export class WebauthnUserResponse {
  /** The user handle in base64url: the encoded user id. */
  @Example('dXNlcl8wMWswMDAwMDAwMDAwMDAwMDAwMDAwMGQzbTA')
  readonly id!: string;
  @Example(EXAMPLES.email)
  readonly name!: string;
  @Example('Ada Lovelace')
  readonly displayName!: string;
}

export class WebauthnAlgorithmResponse {
  /** The type of the credential, always `public-key`. */
  @Example('public-key')
  readonly type!: string;
  /** A COSE algorithm: -7 (ES256), -8 (EdDSA) or -257 (RS256). */
  @Example(-7)
  readonly alg!: number;
}

export class WebauthnSelectionResponse {
  readonly authenticatorAttachment?: string;
  @Example('required')
  readonly residentKey!: string;
  readonly requireResidentKey!: boolean;
  @Example('required')
  readonly userVerification!: string;
}

/** The options that `PublicKeyCredential.parseCreationOptionsFromJSON` of browsers takes. */
export class WebauthnCreationOptionsResponse {
  readonly rp!: WebauthnRelyingPartyResponse;
  readonly user!: WebauthnUserResponse;
  /** The challenge in base64url, valid for one registration. */
  @Example('q83vEjRWeJCrze8SNFZ4kA')
  readonly challenge!: string;
  readonly pubKeyCredParams!: WebauthnAlgorithmResponse[];
  /** The time that the browser waits for the user, in milliseconds. */
  readonly timeout!: number;
  /** The user's passkeys: an authenticator that holds one makes no other. */
  readonly excludeCredentials!: WebauthnDescriptorResponse[];
  readonly authenticatorSelection!: WebauthnSelectionResponse;
  @Example('none')
  readonly attestation!: string;
}

export class BegunPasskeyRegistrationResponse {
  readonly user_id!: string;
  readonly public_key_credential_creation_options!: WebauthnCreationOptionsResponse;

  static of(
    { userId, settings, challenge, account, fullName, known }: BegunRegistration,
    appName: string,
    authenticatorType: AuthenticatorType | undefined,
  ): BegunPasskeyRegistrationResponse {
    return {
      user_id: userId,
      public_key_credential_creation_options: {
        rp: { id: settings.rpId, name: settings.rpName ?? appName },
        user: { id: userHandleOf(userId), name: account, displayName: fullName || account },
        challenge,
        pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
        timeout: CHALLENGE_SECONDS * 1_000,
        excludeCredentials: known.map(WebauthnDescriptorResponse.of),
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

export class RegisterPasskeyRequest extends SessionArgumentsRequest {
  @IdOf('user')
  readonly user_id!: UserId;

  /** The credential that the browser returned for the options, unchanged: an object or JSON text. */
  @PublicKeyCredential()
  readonly public_key_credential!: object | string;

  /** The name by which the user recognises the passkey. */
  @Text({ max: MAX_LENGTH.name })
  readonly name: string = '';
}

/** A passkey that was registered or has signed in, and the session if one was asked for. */
export class VerifiedPasskeyResponse extends SessionFieldsResponse {
  /** Begins with `webauthn_`. */
  @Example(exampleId('passkey'))
  readonly webauthn_credential_id!: string;
  readonly user_id!: string;

  static async of({ passkey, session }: VerifiedPasskey): Promise<VerifiedPasskeyResponse> {
    return {
      webauthn_credential_id: passkey.id,
      user_id: passkey.userId,
      ...(await SessionFieldsResponse.fieldsOf(session)),
    };
  }
}
