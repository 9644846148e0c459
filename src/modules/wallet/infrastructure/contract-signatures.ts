import { AbiCoder, hashMessage } from 'ethers';
import { addressed } from '../../../platform/outbound/addressed.js';
import { EthereumNodeUnavailable } from '../domain/registration.errors.js';

/** `isValidSignature(bytes32,bytes)`, and at the same time what it answers when the signature is valid (EIP-1271). */
const MAGIC = '0x1626ba7e';
/**
 * The whole word is compared. Its first bytes alone are not enough: the precompiled contract "identity" answers what it
 * is called with, which begins with them.
 */
const VALID = `${MAGIC}${'00'.repeat(28)}`;

/** Codes by which nodes say that the contract refused, ran out of gas or is broken. */
const CALL_FAILED = [3, -32_000, -32_015];

const PATIENCE_MS = 3_000;
const MAX_ANSWER_BYTES = 65_536;

interface Answer {
  readonly result?: unknown;
  readonly error?: { readonly code?: number } | null;
}

/** Signatures of contracts, as an Ethereum node tells of them. */
export class ContractSignatures {
  constructor(private readonly nodeUrl: string) {}

  /**
   * Whether the contract at the address says that it signed the message; false where there is no contract. Bounded in time
   * and in size, for the contract is whoever's who asks. Throws `EthereumNodeUnavailable`.
   */
  async isValid(address: string, message: string, signature: string): Promise<boolean> {
    const call = AbiCoder.defaultAbiCoder().encode(['bytes32', 'bytes'], [hashMessage(message), signature]);
    const { result, error } = await this.ask('eth_call', [{ to: address, data: MAGIC + call.slice(2) }, 'latest']);
    if (error && !CALL_FAILED.includes(error.code ?? 0)) throw new EthereumNodeUnavailable({ cause: error });
    return result === VALID;
  }

  private async ask(method: string, params: unknown[]): Promise<Answer> {
    try {
      const { url, headers } = addressed(this.nodeUrl);
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...headers },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
        redirect: 'error',
        signal: AbortSignal.timeout(PATIENCE_MS),
      });
      if (!response.ok || !response.body) throw new Error(`The node answered ${response.status}.`);
      const chunks: Uint8Array[] = [];
      let size = 0;
      for await (const chunk of response.body) {
        size += chunk.length;
        if (size > MAX_ANSWER_BYTES) return {};
        chunks.push(chunk);
      }
      const answer: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
      if (typeof answer !== 'object' || answer === null) throw new Error('The node answered no JSON-RPC.');
      return answer;
    } catch (cause) {
      throw new EthereumNodeUnavailable({ cause });
    }
  }
}
