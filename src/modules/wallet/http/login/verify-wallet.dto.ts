import type { WalletRegistrationId } from '../../../../kernel/ids.js';
import { AtLeastOneOf } from '../../../../edge/http/at-least-one-of.js';
import { IdOf, MAX_LENGTH, OneOf, Text, Token } from '../../../../edge/http/fields.js';
import { IssuedSessionResponse, SessionArgumentsRequest, SessionFieldsResponse } from '../../../session/index.js';
import type { VerifiedWallet } from '../../application/login/sign-in-with-wallet.js';
import type { ClaimedWallet } from '../../application/login/verify-challenge.js';
import { CHAIN_ALIASES, CHAIN_NAMES, type ChainName } from '../../../../kernel/chain/chain-name.js';
import { WalletResponse } from '../wallet-fields.dto.js';
import { Example } from '../../../../edge/openapi/plugin-schemas.js';
import { exampleId, EXAMPLES } from '../../../../kernel/examples.js';

class SignatureRequest extends SessionArgumentsRequest {
  /** The signature. Ethereum: 65 bytes in 0x-hexadecimal, or a signature that the contract at the address accepts. Solana: base58. */
  @Token({ example: '0x' + '5b'.repeat(64) + '1c' })
  readonly signature!: string;

  /** The registration that the signature is for. */
  @IdOf('walletRegistration', { optional: true, example: exampleId('walletRegistration') })
  readonly id?: WalletRegistrationId;

  /** The chain; `ETH` and `SOL` mean the same. */
  @OneOf(CHAIN_NAMES, { aliases: CHAIN_ALIASES, optional: true })
  readonly wallet_type?: ChainName;

  /** The address that signed. */
  @Text({ min: 1, max: 64, optional: true })
  readonly public_address?: string;

  static claimed({ id, wallet_type, public_address }: SignatureRequest): ClaimedWallet {
    return { id, walletType: wallet_type, publicAddress: public_address };
  }
}

@AtLeastOneOf('id', 'public_address')
export class VerifyWalletRequest extends SignatureRequest {}

export class VerifySiweRequest extends SignatureRequest {
  /** The text that was signed: EIP-4361, or Sign-In With Solana, with the nonce of a registration. */
  @Text({ min: 1, max: MAX_LENGTH.token, example: 'app.example.com wants you to sign in with your Ethereum account:' })
  readonly siwe_challenge!: string;
}

export class VerifiedWalletResponse extends WalletResponse implements SessionFieldsResponse {
  /** Null if the request asks for no session. */
  readonly session!: IssuedSessionResponse | null;
  /** Empty when there is no session, or it was named by its JWT. */
  @Example(EXAMPLES.token)
  readonly session_token!: string;
  /** Empty when there is no session. */
  @Example('eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJodHRwczovL2F1dGguZXhhbXBsZS5jb20ifQ.c2lnbmF0dXJl')
  readonly session_jwt!: string;

  static async verified({ wallet, session }: VerifiedWallet): Promise<VerifiedWalletResponse> {
    return { ...WalletResponse.of(wallet), ...(await SessionFieldsResponse.fieldsOf(session)) };
  }
}

/** The response to a deletion. */
export class WalletDeletionResponse {
  /** The user from whom the wallet was taken. */
  readonly user_id!: string;
  @Example('The wallet was deleted.')
  readonly message!: string;
}
