/**
 * The rules for typed data that the app's wallets sign: only listed data, also data that is not known to move value, or any. Contracts may
 * define their own types, so only `listed` is complete.
 */
export const TYPED_DATA_RULES = ['listed', 'without_value', 'any'] as const;
export type TypedDataRule = (typeof TYPED_DATA_RULES)[number];

/** The rules for messages that the app's wallets sign: any, only text that cannot be the hash of a smart account's transaction, or none. */
export const MESSAGE_RULES = ['any', 'text', 'none'] as const;
export type MessageRule = (typeof MESSAGE_RULES)[number];

/** Typed data that the wallets of an app sign also if it moves value: one type for one contract on one chain. */
export interface ListedTypedData {
  readonly primaryType: string;
  /** The `verifyingContract` of its domain, checksummed; null for a domain that has none. */
  readonly verifyingContract: string | null;
  /** The `chainId` of its domain; null for a domain that has none. */
  readonly chainId: number | null;
}

/** The uses of the keys of an app's wallets besides payments. They are checked before a key is opened. */
export interface SigningPolicy {
  /** The default is `without_value`. */
  readonly typedData?: TypedDataRule;
  readonly listedTypedData?: readonly ListedTypedData[];
  readonly messages?: MessageRule;
  /**
   * The rule while `messages` is not set, which no caller sets: `text` while a policy is in force. Absent, which means `any`: the app has had
   * no policy, or its first one is from before this rule.
   */
  readonly defaultMessages?: 'any' | 'text';
  /** The default is true. A caller that may export the key is bound by no policy. */
  readonly allowsExport?: boolean;
}
