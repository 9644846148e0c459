import { ApiSchema } from '@nestjs/swagger';
import { Text, IdOf, MAX_LENGTH, OneOf } from '../../../edge/http/fields.js';
import { ALGORITHMS, userHandleOf } from '../domain/passkey.js';
import { EnumValues, Example } from '../../../edge/openapi/plugin-schemas.js';
import type { UserId } from '../../../kernel/ids.js';
import { SessionArgumentsRequest, VerifiedUserResponse } from '../../session/index.js';
import type { BegunRegistration, VerifiedPasskey } from '../application/manage-passkeys.js';
import { CHALLENGE_SECONDS } from '../domain/authenticators.js';
import { exampleId, EXAMPLES } from '../../../kernel/examples.js';
import { PublicKeyCredential, WebauthnDescriptorResponse } from './exported-ceremony.dto.js';

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
  /** The domain that passkeys are bound to: the app's `rp_id`. */
  @Example('localhost')
  readonly id!: string;
  /** The name that authenticators show. */
  @Example('Demo')
  readonly name!: string;
}

export class WebauthnUserResponse {
  /** The user handle in base64url: the encoded user id. */
  @Example('dXNlcl8wMWswMDAwMDAwMDAwMDAwMDAwMDAwMGQzbTA')
  readonly id!: string;
  /** The user's email or phone number, by which the user recognises the account. */
  @Example(EXAMPLES.email)
  readonly name!: string;
  /** The full name of the user, or the same as `name`. */
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
  /** The `authenticator_type` of the request; absent if the request has none. */
  @EnumValues(AUTHENTICATOR_TYPES)
  readonly authenticatorAttachment?: string;
  /** Whether the authenticator keeps the passkey itself, always `preferred`. */
  @Example('preferred')
  readonly residentKey!: string;
  /** The value for browsers of WebAuthn Level 1, always false. */
  readonly requireResidentKey!: boolean;
  /** Whether the authenticator checks the user, always `required`. */
  @Example('required')
  readonly userVerification!: string;
}

/** The options that `PublicKeyCredential.parseCreationOptionsFromJSON` of browsers takes. */
export class WebauthnCreationOptionsResponse {
  /** The app as the relying party. */
  readonly rp!: WebauthnRelyingPartyResponse;
  /** The user for whom the passkey is made. */
  readonly user!: WebauthnUserResponse;
  /** The challenge in base64url, valid for one registration. */
  @Example('q83vEjRWeJCrze8SNFZ4kA')
  readonly challenge!: string;
  /** The accepted algorithms, the preferred one first. */
  readonly pubKeyCredParams!: WebauthnAlgorithmResponse[];
  /** The time that the browser waits for the user, in milliseconds. */
  readonly timeout!: number;
  /** The user's passkeys: an authenticator that holds one makes no other. */
  readonly excludeCredentials!: WebauthnDescriptorResponse[];
  /** The requirements on the authenticator. */
  readonly authenticatorSelection!: WebauthnSelectionResponse;
  /** The requested attestation, always `none`. */
  @Example('none')
  readonly attestation!: string;
}

@ApiSchema({ description: 'The options with which the browser makes the passkey.' })
export class BegunPasskeyRegistrationResponse {
  readonly user_id!: string;
  /** The options for `navigator.credentials.create`. */
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

@ApiSchema({ description: 'The user and the passkey, and the session if the request asks for one.' })
export class VerifiedPasskeyResponse extends VerifiedUserResponse {
  /** Begins with `webauthn_`. */
  @Example(exampleId('passkey'))
  readonly webauthn_credential_id!: string;
  readonly user_id!: string;

  static async of({ passkey, session }: VerifiedPasskey): Promise<VerifiedPasskeyResponse> {
    return {
      webauthn_credential_id: passkey.id,
      user_id: passkey.userId,
      ...(await VerifiedUserResponse.verifiedFieldsOf({ session })),
    };
  }
}

export class BeginPasskeySignInRequest {
  /** The user who signs in. If absent, the user chooses among the passkeys that the authenticator holds for the domain. */
  @IdOf('user', { optional: true })
  readonly user_id?: UserId;
}

export class VerifyPasskeyRequest extends SessionArgumentsRequest {
  /** The credential that the browser returned for the options, unchanged: an object or JSON text. */
  @PublicKeyCredential()
  readonly public_key_credential!: object | string;
}
