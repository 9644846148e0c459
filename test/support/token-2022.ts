import {
  AccountRole,
  type Address,
  appendTransactionMessageInstructions,
  type Blockhash,
  createTransactionMessage,
  generateKeyPairSigner,
  getAddressEncoder,
  getBase64EncodedWireTransaction,
  type Instruction,
  type KeyPairSigner,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit';
import { findAssociatedTokenPda } from '@solana-program/token';
import { randomBytes } from 'node:crypto';
import { TOKEN_2022_PROGRAM_ADDRESS } from '../../src/modules/chain/infrastructure/solana/token-2022.js';
import type { SolanaRuntime } from './solana-runtime.js';

/** An extension: the bytes of its value, and the instruction that sets it in a new mint. */
interface Extension {
  readonly size: number;
  readonly data: readonly number[];
}

const SOME = [...randomBytes(32)];

/** The extensions of new mints, by their names in the program. */
export const MINT_EXTENSIONS = {
  // One per cent of a transfer.
  TransferFeeConfig: { size: 108, data: [26, 0, 1, ...SOME, 1, ...SOME, 100, 0, ...Array<number>(8).fill(255)] },
  MintCloseAuthority: { size: 32, data: [25, 1, ...SOME] },
  ConfidentialTransferMint: { size: 65, data: [27, 0, ...SOME, 1, ...Array<number>(32).fill(0)] },
  // New accounts are frozen.
  DefaultAccountState: { size: 1, data: [28, 0, 2] },
  NonTransferable: { size: 0, data: [32] },
  InterestBearingConfig: { size: 52, data: [33, 0, ...SOME, 5, 0] },
  PermanentDelegate: { size: 32, data: [35, ...SOME] },
  TransferHook: { size: 64, data: [36, 0, ...SOME, ...SOME] },
  MetadataPointer: { size: 64, data: [39, 0, ...SOME, ...SOME] },
  GroupPointer: { size: 64, data: [40, 0, ...SOME, ...SOME] },
  GroupMemberPointer: { size: 64, data: [41, 0, ...SOME, ...SOME] },
  ScaledUiAmountConfig: { size: 56, data: [43, 0, ...SOME, 0, 0, 0, 0, 0, 0, 240, 63] },
  Pausable: { size: 33, data: [44, 0, ...SOME] },
} satisfies Record<string, Extension>;
export type MintExtension = keyof typeof MINT_EXTENSIONS;

/** The bytes before the extensions: those of a token account, and the kind. */
const BASE_BYTES = 166;
const HEAD_BYTES = 4;
const MINT_BYTES = 82;
/** A token account of a mint with a fee stores the fees that were withheld, in 8 bytes. */
const ACCOUNT_BYTES = BASE_BYTES + HEAD_BYTES + 8;

/** Makes mints and payments of Token-2022 by the instructions of the program itself. */
export class Token2022 {
  private constructor(
    private readonly runtime: SolanaRuntime,
    private readonly authority: KeyPairSigner,
  ) {}

  static async on(runtime: SolanaRuntime): Promise<Token2022> {
    const authority = await generateKeyPairSigner();
    runtime.fund(authority.address, 1_000_000_000n);
    return new Token2022(runtime, authority);
  }

  /** Creates a mint of 6 decimals with these extensions, and returns its address. */
  async mint(...names: readonly MintExtension[]): Promise<Address> {
    const extensions: readonly Extension[] = names.map((name) => MINT_EXTENSIONS[name]);
    const size = extensions.reduce((sum, each) => sum + HEAD_BYTES + each.size, BASE_BYTES);
    const mint = await this.blank(names.length > 0 ? size : MINT_BYTES);
    const authority = [...getAddressEncoder().encode(this.authority.address)];
    await this.carryOut([
      ...extensions.map(({ data }) => this.instruction(data, [mint])),
      this.instruction([20, 6, ...authority, 1, ...authority], [mint]),
    ]);
    return mint;
  }

  /** Pays newly minted tokens of a mint with a fee to the owner's account, which it creates. Returns the signature. */
  async pays(mint: Address, owner: string, amount: bigint): Promise<string> {
    const from = await this.blank(ACCOUNT_BYTES);
    const seeds = { mint, owner: owner as Address, tokenProgram: TOKEN_2022_PROGRAM_ADDRESS };
    const [to] = await findAssociatedTokenPda(seeds);
    this.makeBlank(to, ACCOUNT_BYTES);
    const units = new Uint8Array(new BigUint64Array([amount]).buffer);
    return this.carryOut([
      this.instruction([18, ...getAddressEncoder().encode(this.authority.address)], [from, mint]),
      this.instruction([18, ...getAddressEncoder().encode(owner as Address)], [to, mint]),
      this.instruction([7, ...units], [mint, from], true),
      this.instruction([12, ...units, 6], [from, mint, to], true),
    ]);
  }

  /** An address with zeros, as the program finds the account before it is initialised. */
  private async blank(size: number): Promise<Address> {
    const { address } = await generateKeyPairSigner();
    this.makeBlank(address, size);
    return address;
  }

  private makeBlank(address: Address, size: number): void {
    this.runtime.own(address, new Uint8Array(size), size, TOKEN_2022_PROGRAM_ADDRESS);
  }

  private instruction(data: readonly number[], accounts: readonly Address[], isSigned = false): Instruction {
    const signer = { address: this.authority.address, role: AccountRole.READONLY_SIGNER, signer: this.authority };
    return {
      programAddress: TOKEN_2022_PROGRAM_ADDRESS,
      accounts: [
        ...accounts.map((address) => ({ address, role: AccountRole.WRITABLE })),
        ...(isSigned ? [signer] : []),
      ],
      data: Uint8Array.from(data),
    };
  }

  private async carryOut(instructions: readonly Instruction[]): Promise<string> {
    const { value } = await this.call<{ value: { blockhash: Blockhash; lastValidBlockHeight: number } }>(
      'getLatestBlockhash',
      [{ commitment: 'processed' }],
    );
    const lifetime = { ...value, lastValidBlockHeight: BigInt(value.lastValidBlockHeight) };
    const message = pipe(
      createTransactionMessage({ version: 0 }),
      (each) => setTransactionMessageFeePayerSigner(this.authority, each),
      (each) => setTransactionMessageLifetimeUsingBlockhash(lifetime, each),
      (each) => appendTransactionMessageInstructions(instructions, each),
    );
    const wire = getBase64EncodedWireTransaction(await signTransactionMessageWithSigners(message));
    return this.call<string>('sendTransaction', [wire, { encoding: 'base64' }]);
  }

  private async call<T>(method: string, params: readonly unknown[]): Promise<T> {
    const response = await fetch(this.runtime.url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const { result, error } = (await response.json()) as { result?: T; error?: unknown };
    if (result === undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  }
}
