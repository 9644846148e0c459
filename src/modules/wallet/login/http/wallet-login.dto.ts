import { ApiSchema } from '@nestjs/swagger';
import { EnumValues, Example } from '../../../../edge/openapi/plugin-schemas.js';
import { epochSeconds } from '../../../../kernel/clock.js';
import type { UserId, WalletId, WalletRegistrationId } from '../../../../kernel/ids.js';
import type { LoginFields } from '../../../../edge/idempotency/repeated-logins.js';
import { IdOf, OneOf, Text, MAX_LENGTH, Token } from '../../../../edge/http/fields.js';
import type { BegunRegistration } from '../application/begin-registration.js';
import { WALLET_TYPE_ALIASES, WALLET_TYPES, type WalletType } from '../../../../kernel/chain/chain-name.js';
import { exampleId, EXAMPLES } from '../../../../kernel/examples.js';
import { AtLeastOneOf } from '../../../../edge/http/at-least-one-of.js';
import {
  IssuedSessionResponse,
  PreparedAccountResponse,
  SessionArgumentsRequest,
  VerifiedUserResponse,
} from '../../../session/index.js';
import type { ManageWallets } from '../../wallets/application/manage-wallets.js';
import type { VerifiedWallet } from '../application/sign-in-with-wallet.js';
import type { ClaimedWallet } from '../application/verify-wallet.js';
import { WalletResponse } from '../../wallets/http/exported-wallet.dto.js';

export class BeginRegistrationRequest {
  /** The chain; `ETH` and `SOL` mean the same. */
  @OneOf(WALLET_TYPES, { aliases: WALLET_TYPE_ALIASES })
  readonly wallet_type!: WalletType;

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
  /** The chain of the address: `ethereum` or `solana`. */
  @EnumValues(WALLET_TYPES)
  readonly wallet_type!: string;
  /** The address that must sign, in canonical form. */
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

@ApiSchema({ description: 'The registration, with the text that the wallet must sign.' })
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

@ApiSchema({ description: 'The registration, with the nonce for a text of your own that the wallet must sign.' })
export class NonceResponse extends RegistrationResponse {
  /** Letters and digits, for the `Nonce` of a sign-in text. */
  @Example('8sQ2mZ4kT0vB6xN1cY7hJ3gL5pR9wD2f')
  readonly nonce!: string;

  static with(registration: BegunRegistration): NonceResponse {
    return { ...RegistrationResponse.of(registration), nonce: registration.nonce };
  }
}

class SignatureRequest extends SessionArgumentsRequest {
  /** The signature. Ethereum: 65 bytes in 0x-hexadecimal, or a signature that the contract at the address accepts. Solana: base58, of the text or of an off-chain message with it, as hardware wallets sign. */
  @Token({ example: '0x' + '5b'.repeat(64) + '1c' })
  readonly signature!: string;

  /** The registration that the signature is for. */
  @IdOf('walletRegistration', { optional: true, example: exampleId('walletRegistration') })
  readonly id?: WalletRegistrationId;

  /** The chain; `ETH` and `SOL` mean the same. */
  @OneOf(WALLET_TYPES, { aliases: WALLET_TYPE_ALIASES, optional: true })
  readonly wallet_type?: WalletType;

  /** The address that signed. */
  @Text({ min: 1, max: 64, optional: true })
  readonly public_address?: string;

  static claimed({ id, wallet_type, public_address }: SignatureRequest): ClaimedWallet {
    return { id, walletType: wallet_type, publicAddress: public_address };
  }
}

@AtLeastOneOf('id', 'public_address')
export class VerifyWalletRequest extends SignatureRequest {}

const SIGN_IN_TEXT = `localhost:3001 wants you to sign in with your Ethereum account:
${EXAMPLES.address}


URI: http://localhost:3001
Version: 1
Chain ID: 31337
Nonce: 32891756
Issued At: 2026-01-01T00:00:00Z`;

export class VerifySiweRequest extends SignatureRequest {
  /** The text that was signed: EIP-4361, or Sign-In With Solana, with the nonce of a registration. */
  @Text({ min: 1, max: MAX_LENGTH.token, example: SIGN_IN_TEXT })
  readonly siwe_challenge!: string;
}

@ApiSchema({ description: 'The wallet of the user who signed in, and the session if the request asks for one.' })
export class VerifiedWalletResponse extends WalletResponse implements VerifiedUserResponse {
  /** Whether this call created the user. False for the user whom the beginning of the registration named. */
  @Example(false)
  readonly user_created!: boolean;
  /** The account as the app had prepared it, if the user got it by this call; otherwise null. */
  readonly account_prepared!: PreparedAccountResponse | null;
  /** Null if the request asks for no session. */
  readonly session!: IssuedSessionResponse | null;
  /** Empty when there is no session, or it was named by its JWT. */
  @Example(EXAMPLES.token)
  readonly session_token!: string;
  /** Empty when there is no session. */
  @Example('eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJodHRwczovL2F1dGguZXhhbXBsZS5jb20ifQ.c2lnbmF0dXJl')
  readonly session_jwt!: string;

  static async verified(verified: VerifiedWallet): Promise<VerifiedWalletResponse> {
    return { ...WalletResponse.of(verified.wallet), ...(await VerifiedUserResponse.verifiedFieldsOf(verified)) };
  }
}

type StoredWallet = Pick<WalletResponse, 'updated_at' | 'created_at'> & {
  readonly id: WalletId;
  readonly user_id: UserId;
};

/** The wallet is read anew, but for its times: the first response has those of the process. */
export const WALLET_FIELDS: LoginFields<WalletResponse, StoredWallet, { readonly manage: ManageWallets }> = {
  stored: ({ id, user_id, updated_at, created_at }) => ({
    id: id as WalletId,
    user_id: user_id as UserId,
    updated_at,
    created_at,
  }),
  restored: async ({ id, updated_at, created_at }, appId, { manage }) => ({
    ...WalletResponse.of(await manage.get(appId, id)),
    updated_at,
    created_at,
  }),
};

@ApiSchema({ description: 'The wallet was taken from the user.' })
export class WalletDeletionResponse {
  /** The user from whom the wallet was taken. */
  readonly user_id!: string;
  @Example('The wallet was deleted.')
  readonly message!: string;
}
