import { createHash } from 'node:crypto';
import { canonicalJson } from '../../../../kernel/canonical-json.js';
import { formatAmount } from '../../../../kernel/chain/asset.js';
import type { AppId, WalletId } from '../../../../kernel/ids.js';
import type { Facts } from './facts.js';
import type { KeyUse } from './key-use.js';
import { inJson } from './stored-rules.js';

/** What approvers see: everything that is signed. */
export type Payload = Readonly<Record<string, unknown>>;

interface Subject {
  readonly appId: AppId;
  readonly walletId: WalletId;
  readonly transferId?: string | undefined;
}

export function payloadOf({ appId, walletId, transferId }: Subject, use: KeyUse, { moves }: Facts): Payload {
  const payload = { operation: use.operation, app_id: appId, wallet_id: walletId, ...wordsOf(use), moves };
  return JSON.parse(inJson({ ...payload, ...(transferId !== undefined && { transfer_id: transferId }) })) as Payload;
}

function wordsOf(use: KeyUse): Payload {
  switch (use.operation) {
    case 'transfer': {
      const { asset, dest, amount, fee, source, network } = use;
      return {
        network,
        source,
        destination: dest,
        currency: asset.name,
        token: asset.token,
        amount: formatAmount(amount, asset),
        amount_units: amount,
        max_fee: fee && formatAmount(fee.amount, fee.asset),
        max_fee_units: fee?.amount,
      };
    }
    case 'sign_message':
      return { message: use.message, digest: sha256(use.message) };
    case 'sign_typed_data': {
      const { primaryType, types, chainId, verifyingContract, message, digest } = use.typedData;
      const domain = { chain_id: chainId, verifying_contract: verifyingContract };
      return { primary_type: primaryType, types, ...domain, message, digest };
    }
    case 'sign_transaction': {
      const { network, to, value, nonce, data, gasLimit, maxFeePerGas, maxPriorityFeePerGas } = use.transaction;
      const fees = { max_fee_per_gas: maxFeePerGas, max_priority_fee_per_gas: maxPriorityFeePerGas };
      return { network, to, value, nonce, gas: gasLimit, ...fees, data };
    }
    case 'export':
      return { encryption_public_key: use.encryptionPublicKey };
    case 'upkeep':
      return {};
  }
}

/** The SHA-256 of the payload's canonical JSON (RFC 8785), in hexadecimal. */
export function hashOf(payload: Payload): string {
  return sha256(canonicalJson(payload));
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
