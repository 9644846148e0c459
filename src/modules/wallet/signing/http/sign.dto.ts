import { ApiSchema } from '@nestjs/swagger';
import { JsonObject } from '../../../../edge/http/compound-fields.js';
import { IdOf, MAX_LENGTH, Text } from '../../../../edge/http/fields.js';
import type { AuthenticatedApp } from '../../../../edge/http/authenticated-request.js';
import type { Used, WalletCall } from '../application/sign.js';
import type { EthTransaction, SignedTransaction, TypedData } from '../domain/message-signer.js';
import { WalletResponse } from '../../wallets/http/exported-wallet.dto.js';
import { Example } from '../../../../edge/openapi/plugin-schemas.js';
import type { ApprovalId, WalletId } from '../../../../kernel/ids.js';
import { EXAMPLES } from '../../../../kernel/examples.js';

/** A call that a policy may put to approvers. */
export class ApprovableRequest {
  /** The approval that the refused call (409 `approval_required`) named, once it is approved. */
  @IdOf('approval', { optional: true })
  readonly approval_id?: ApprovalId;
}

export function callOf(
  app: AuthenticatedApp,
  id: WalletId,
  { approval_id: approvalId }: ApprovableRequest,
): WalletCall {
  return { appId: app.id, id, keyId: app.keyId, approvalId };
}

export class SignMessageRequest extends ApprovableRequest {
  /** Signed exactly as given, as UTF-8, also if the text looks like hexadecimal. */
  @Text({ max: MAX_LENGTH.message, example: 'Hello' })
  readonly message!: string;
}

export class SignTypedDataRequest extends ApprovableRequest {
  /**
   * The typed data of EIP-712: `domain`, `types`, `primaryType` and `message`, with at most 1,000 values, 50 types and 250 fields; the body
   * may be nested 20 levels deep. Names of types may have a namespace, such as `Exchange:Order`.
   */
  @JsonObject({
    example: {
      domain: { name: 'Demo', version: '1', chainId: 31_337 },
      types: { Greeting: [{ name: 'text', type: 'string' }] },
      primaryType: 'Greeting',
      message: { text: 'Hello' },
    },
  })
  readonly typed_data!: TypedData;
}

export class SignTransactionRequest extends ApprovableRequest {
  /**
   * The transaction of EIP-1559: `to`, `value`, `nonce`, `gas`, `maxFeePerGas`, `maxPriorityFeePerGas`, `chainId`, `data` (or `input`).
   * Numbers are decimal or 0x-hexadecimal text, or whole JSON numbers; amounts are in wei. `data` has at most 65,536 bytes, which are 128
   * KiB of hexadecimal. Exactly the given transaction is signed: another `type` than 2, a `from` that is not the wallet, `gasPrice`,
   * `accessList`, `authorizationList` and blob fields are refused.
   */
  @JsonObject({
    example: {
      to: EXAMPLES.otherAddress,
      value: '1000000000000000',
      nonce: 0,
      gas: 21_000,
      maxFeePerGas: '2000000000',
      maxPriorityFeePerGas: '1000000000',
      chainId: 31_337,
      data: '0x',
    },
  })
  readonly eth_transaction!: EthTransaction;
}

/** The wallet nested under `wallet`, as observed, and flat, as the interface's schema lists it. */
@ApiSchema({ description: 'The signature, and the wallet that made it.' })
export class SignatureResponse extends WalletResponse {
  readonly wallet_id!: string;
  /** The wallet that signed. */
  readonly wallet!: WalletResponse;
  /** Ethereum: 65 bytes in 0x-hexadecimal, v 27 or 28. Solana: base58. */
  @Example('0x' + '5b'.repeat(64) + '1c')
  readonly signature!: string;

  static signed({ wallet, result: signature }: Used<string>): SignatureResponse {
    const response = WalletResponse.of(wallet);
    return { ...response, wallet_id: wallet.id, wallet: response, signature };
  }
}

@ApiSchema({ description: 'The signed transaction. It was not sent to the chain.' })
export class SignedTransactionResponse extends SignatureResponse {
  /** The signed transaction in 0x-hexadecimal, as `eth_sendRawTransaction` takes it. */
  @Example('0x02f8730180843b9aca00847735940082520894')
  readonly signed_transaction!: string;
  /** The hash it will have on the chain. */
  @Example('0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b')
  readonly transaction_hash!: string;

  static signedTransaction({ wallet, result: signed }: Used<SignedTransaction>): SignedTransactionResponse {
    return {
      ...SignatureResponse.signed({ wallet, result: signed.signature }),
      signed_transaction: signed.signedTransaction,
      transaction_hash: signed.hash,
    };
  }
}
