import { ethereumAddressOf } from '../../../../services/crypto/keccak.js';
import { ListOf, Nested } from '../../../../edge/http/compound-fields.js';
import { RESETTABLE } from '../../../../edge/http/field.js';
import { Flag, OneOf, Text, WholeNumber } from '../../../../edge/http/fields.js';
import { InvalidAsset } from '../../domain/apps.errors.js';
import {
  MESSAGE_RULES,
  type MessageRule,
  type SigningPolicy,
  TYPED_DATA_RULES,
  type TypedDataRule,
} from '../../domain/signing-policy.js';
import { EnumValues, Example } from '../../../../edge/openapi/plugin-schemas.js';
import { given } from '../wire-names.js';

export class ListedTypedDataRequest {
  /** The `primaryType`, such as `Permit`. */
  @Text({ min: 1, max: 100, pattern: /^[A-Za-z_$][A-Za-z0-9_$:.]*$/, patternName: 'the name of a type' })
  readonly primary_type!: string;

  /** The `verifyingContract` of the domain. If it is absent, the domain must name none. */
  @Text({ min: 1, max: 128, optional: true, nullable: true })
  readonly verifying_contract?: string | null;

  /** The `chainId` of the domain. If it is absent, the domain must name none. */
  @WholeNumber({ min: 1, unit: '(a chain id)', optional: true, nullable: true })
  readonly chain_id?: number | null;
}

/** Rules to set. Rules that the request omits stay; `null` restores the default. */
export class SigningPolicyRequest {
  /**
   * The typed data that is signed. `listed`: only listed types. `without_value` (the default): also types that are not known to move
   * value, as permits, authorizations, orders, meta-transactions and changes of an account's control do. `any`: every type. A new live app
   * begins with `listed`, and setting a `transfer_policy` makes it `listed`.
   */
  @OneOf(TYPED_DATA_RULES, RESETTABLE)
  readonly typed_data?: TypedDataRule | null;

  /** The typed data that is signed also if it moves value; `transfer_policy` does not bound it. The request replaces the list. */
  @ListOf(Nested(() => ListedTypedDataRequest), { max: 100, ...RESETTABLE })
  readonly listed_typed_data?: ListedTypedDataRequest[] | null;

  /**
   * The messages that are signed. `any`: all messages. `text`: printable messages that are neither 32 bytes long nor one hash in
   * hexadecimal, because a smart account accepts the signature of such a message as that of a transaction. `none`: no message. The
   * default is `text` while a policy is in force, and else `any`; it stays `any` for an app whose first policy was activated by a
   * release before this rule. Setting a `transfer_policy` makes it `text`.
   */
  @OneOf(MESSAGE_RULES, RESETTABLE)
  readonly messages?: MessageRule | null;

  /**
   * Whether private keys may be exported (the default). Setting a `transfer_policy` makes it `false`: an exported key is bound by
   * no policy.
   */
  @Flag(RESETTABLE)
  readonly allows_export?: boolean | null;
}

export class ListedTypedDataResponse {
  /** The `primaryType`, such as `Permit`. */
  @Example('Greeting')
  primary_type!: string;
  /** The `verifyingContract` of the domain; null if the domain must name none. */
  verifying_contract!: string | null;
  /** The `chainId` of the domain; null if the domain must name none. */
  chain_id!: number | null;
}

export class SigningPolicyResponse {
  /**
   * The rule for typed data: `listed`: only listed types; `without_value`: also types that are not known to move value; `any`: every
   * type.
   */
  @EnumValues(TYPED_DATA_RULES)
  @Example('any')
  typed_data!: TypedDataRule;
  /** The typed data that is signed also if it moves value. */
  listed_typed_data!: ListedTypedDataResponse[];
  /** The rule for messages: `any`: all; `text`: printable ones that are not a hash; `none`: no message. */
  @EnumValues(MESSAGE_RULES)
  messages!: MessageRule;
  /** Whether private keys may be exported. */
  allows_export!: boolean;

  static of({
    typedData = 'without_value',
    listedTypedData = [],
    defaultMessages = 'any',
    messages = defaultMessages,
    allowsExport = true,
  }: SigningPolicy): SigningPolicyResponse {
    return {
      typed_data: typedData,
      listed_typed_data: listedTypedData.map(({ primaryType, verifyingContract, chainId }) => ({
        primary_type: primaryType,
        verifying_contract: verifyingContract,
        chain_id: chainId,
      })),
      messages,
      allows_export: allowsExport,
    };
  }
}

/** The changes of policy in a request. Throws `InvalidAsset`. */
export function signingPolicyIn({
  typed_data: typedData,
  listed_typed_data: listed,
  messages,
  allows_export: allowsExport,
}: SigningPolicyRequest): {
  [K in keyof Omit<SigningPolicy, 'defaultMessages'>]: SigningPolicy[K] | null;
} {
  return given({
    typedData,
    messages,
    allowsExport,
    listedTypedData:
      listed &&
      listed.map(({ primary_type: primaryType, verifying_contract: contract, chain_id: chainId }) => ({
        primaryType,
        verifyingContract: contract ? contractOf(contract) : null,
        chainId: chainId ?? null,
      })),
  });
}

function contractOf(text: string): string {
  const canonical = ethereumAddressOf(text);
  if (canonical === null) throw new InvalidAsset(`${text} is not an address`, 'signing_policy.listed_typed_data');
  return canonical;
}
