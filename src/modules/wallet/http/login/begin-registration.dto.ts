import { EnumValues, Example } from '../../../../edge/openapi/plugin-schemas.js';
import { epochSeconds } from '../../../../kernel/clock.js';
import type { UserId } from '../../../../kernel/ids.js';
import { IdOf, OneOf, Text } from '../../../../edge/http/fields.js';
import type { BegunRegistration } from '../../application/login/begin-registration.js';
import { CHAIN_ALIASES, CHAIN_NAMES, type ChainName } from '../../../../kernel/chain/chain-name.js';
import { exampleId, EXAMPLES } from '../../../../kernel/examples.js';

export class BeginRegistrationRequest {
  /** The chain; `ETH` and `SOL` mean the same. */
  @OneOf(CHAIN_NAMES, { aliases: CHAIN_ALIASES })
  readonly wallet_type!: ChainName;

  /** The address on the chain: for ethereum checksummed (EIP-55) or all in lower case, for solana base58. */
  @Text({ min: 1, max: 64, example: '0x90F79bf6EB2c4f870365E785982E1f101E93b906' })
  readonly public_address!: string;

  /** The user to attach the wallet to. Without it: the user who logs in with the address, else a new user. */
  @IdOf('user', { optional: true })
  readonly user_id?: UserId;
}

class RegistrationResponse {
  /** Begins with `walletrr_`. */
  @Example(exampleId('walletRegistration'))
  readonly id!: string;
  readonly app_id!: string;
  /** The user who will own the wallet once a signature is verified. */
  readonly user_id!: string;
  /** Whether the address had no owner, so that this call created a user for the person who proves it. */
  readonly user_created!: boolean;
  @EnumValues(CHAIN_NAMES)
  readonly wallet_type!: string;
  @Example(EXAMPLES.address)
  readonly public_address!: string;
  /** The time of expiry in epoch seconds. */
  readonly expires_at!: number;
  /** The same as `created_at`, in epoch seconds, because a registration never changes. */
  readonly updated_at!: number;
  /** The time of creation in epoch seconds. */
  readonly created_at!: number;

  static of(registration: BegunRegistration): RegistrationResponse {
    return {
      id: registration.id,
      app_id: registration.appId,
      user_id: registration.userId,
      user_created: registration.userCreated,
      wallet_type: registration.walletType,
      public_address: registration.publicAddress,
      expires_at: epochSeconds(registration.expiresAt),
      updated_at: epochSeconds(registration.createdAt),
      created_at: epochSeconds(registration.createdAt),
    };
  }
}

export class ChallengeResponse extends RegistrationResponse {
  /** The text that the wallet must sign, unchanged: by EIP-191 (`personal_sign`) for ethereum, its bytes for solana. */
  @Example(
    'Sign in with this wallet.\n\nSigning proves that the address is yours. It moves no funds and costs nothing.',
  )
  readonly challenge!: string;

  static with(registration: BegunRegistration): ChallengeResponse {
    return { ...RegistrationResponse.of(registration), challenge: registration.challenge };
  }
}

export class NonceResponse extends RegistrationResponse {
  /** Letters and digits, for the `Nonce` of a sign-in text. */
  @Example('8sQ2mZ4kT0vB6xN1cY7hJ3gL5pR9wD2f')
  readonly nonce!: string;

  static with(registration: BegunRegistration): NonceResponse {
    return { ...RegistrationResponse.of(registration), nonce: registration.nonce };
  }
}
