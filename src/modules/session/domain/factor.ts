import { Registry } from '../../../kernel/registry.js';

export interface Factor {
  readonly type: string;
  readonly deliveryChannel: string;
  /** The names for which the method's registered `fields` give a field of the response. */
  readonly method: { readonly type: string } & Readonly<Record<string, string>>;
}

/** One shape in sessions, responses and JWTs, so no reader has to convert it. */
export interface FactorDocument {
  readonly delivery_channel: string;
  readonly type: string;
  readonly method: FactorMethodDocument;
}

/** A document also has the fields that are registered for its `method_type`. */
export interface FactorMethodDocument {
  readonly method_id: string;
  readonly method_type: string;
  /** By the database's clock, in epoch seconds. */
  readonly last_verified_at: number;
}

export type UnstampedFactor = Omit<FactorDocument, 'method'> & {
  readonly method: Omit<FactorMethodDocument, 'last_verified_at'>;
};

/** Two factors of one key are the same factor, verified again: same kind of proof, same channel, same method. */
export function factorKey({ type, delivery_channel, method }: UnstampedFactor): string {
  return `${type}/${delivery_channel}/${method.method_id}`;
}

export interface FactorMethod {
  /** The field that identifies the method. A later proof of the same id replaces the factor. */
  readonly id: string;
  readonly fields: Readonly<Record<string, string>>;
}

/**
 * `nothing`: the proof is of no credential of the account, as where the app vouches for the user. `own secret`: the proof is of a secret
 * that can be read later than the method was proved; `credentials` has a row for it with the id `{channel}/{id of the method}`.
 */
export type ChannelProof = 'nothing' | 'own secret';

export type DeclaredFactor = Pick<FactorType, 'type' | 'deliveryChannels' | 'methods'> & {
  readonly proofs?: FactorType['proofs'];
};

/** A kind of session factor. `SignInModule` declares it together with its sign-in method. */
export class FactorType {
  private static readonly known = new Map<string, FactorType>();
  /** Exists only in the type system: an object that was not declared cannot be registered. */
  declare private readonly isDeclared: true;
  /** The types that prove who the user is, sorted. Grows while modules are loaded. */
  static readonly proving: string[] = [];

  private constructor(
    readonly type: string,
    /** As the API document lists them; `{provider}_oauth` stands for any channel that ends so. */
    readonly deliveryChannels: readonly string[],
    readonly methods: Readonly<Record<string, FactorMethod>>,
    readonly proofs: Readonly<Record<string, ChannelProof>> = {},
  ) {}

  static declare({ type, deliveryChannels, methods, proofs }: DeclaredFactor): FactorType {
    const declared = new FactorType(type, deliveryChannels, methods, proofs);
    FactorType.known.set(type, declared);
    const isProving = deliveryChannels.some((channel) => proofs?.[channel] !== 'nothing');
    if (isProving && !FactorType.proving.includes(type)) FactorType.proving.push(type);
    FactorType.proving.sort();
    return declared;
  }

  /** In the order of their names, because modules are loaded in any order. */
  static get declared(): readonly FactorType[] {
    return [...FactorType.known.values()].toSorted((one, other) => (one.type < other.type ? -1 : 1));
  }
}

/** Methods that are addresses or users: several modules verify them. */
export const IDENTITY_METHODS = {
  email: { id: 'emailId', fields: { emailId: 'email_id', email: 'email' } },
  phone_number: { id: 'phoneNumberId', fields: { phoneNumberId: 'phone_number_id', phoneNumber: 'phone_number' } },
  user: { id: 'userId', fields: { userId: 'user_id' } },
} as const satisfies Record<string, FactorMethod>;

export class FactorTypes {
  private readonly types = new Registry<FactorType>('The factor type');

  /** Only `SignInModule` calls it: a factor without a sign-in method would permit account takeover. */
  register(type: FactorType): void {
    this.types.add(type.type, type);
  }

  /** The id of the credential that the factor proves, as identity knows it; null if it proves none. */
  credentialOf({ type, delivery_channel: channel, method }: UnstampedFactor): string | null {
    const proof = this.types.get(type)?.proofs[channel];
    if (proof === 'nothing') return null;
    return proof === 'own secret' ? `${channel}/${method.method_id}` : method.method_id;
  }

  document({ type, deliveryChannel, method }: Factor): UnstampedFactor {
    const registered = this.types.get(type)?.methods[method.type];
    if (!registered)
      throw new Error(`No module has registered the factor type ${type} with the method ${method.type}.`);
    const fields = Object.entries(registered.fields).map(([name, field]) => {
      const value = method[name];
      if (value === undefined) throw new Error(`A factor of the method ${method.type} needs ${name}.`);
      return [field, value];
    });
    return {
      delivery_channel: deliveryChannel,
      type,
      method: {
        method_id: method[registered.id]!,
        method_type: method.type,
        ...(Object.fromEntries(fields) as Record<string, string>),
      },
    };
  }
}
