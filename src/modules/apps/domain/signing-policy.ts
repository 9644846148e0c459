/** Contracts may define their own types, so only `listed` is complete. `without_value` adds types that are not known to move value. */
export const TYPED_DATA_RULES = ['listed', 'without_value', 'any'] as const;
export type TypedDataRule = (typeof TYPED_DATA_RULES)[number];

/** `text` permits only text that cannot be the hash of a smart account's transaction. */
export const MESSAGE_RULES = ['any', 'text', 'none'] as const;
export type MessageRule = (typeof MESSAGE_RULES)[number];

/** Typed data that the wallets of an app sign also if it moves value: one type for one contract on one chain. */
export interface ListedTypedData {
  readonly primaryType: string;
  /** The checksummed `verifyingContract` of the domain; null for a domain that has none. */
  readonly verifyingContract: string | null;
  readonly chainId: number | null;
}

/** The uses of wallets' keys besides payments. They are checked before a key is opened. */
export interface SigningPolicy {
  /** The default is `without_value`. */
  readonly typedData?: TypedDataRule;
  readonly listedTypedData?: readonly ListedTypedData[];
  readonly messages?: MessageRule;
  /** The rule if `messages` is not set: `text` while a policy is in force. Absent (`any`): no policy yet, or one from before this rule. */
  readonly defaultMessages?: 'any' | 'text';
  /** The default is true. A caller that may export the key is bound by no policy. */
  readonly allowsExport?: boolean;
}
