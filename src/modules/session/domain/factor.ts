/** A proof that a user gave when signing in, as described by the module that checked it. */
export interface Factor {
  readonly type: string;
  readonly deliveryChannel: string;
  /** The names for which the method's registered `fields` give a field of the response. */
  readonly method: { readonly type: string } & Readonly<Record<string, string>>;
}

/** A factor as sessions store it, return it and sign it into JWTs: one shape, so no reader has to convert it. */
export interface FactorDocument {
  readonly delivery_channel: string;
  readonly type: string;
  readonly method: FactorMethodDocument;
}

/** The common fields. A document also has the fields that are registered for its `method_type`. */
export interface FactorMethodDocument {
  readonly method_id: string;
  readonly method_type: string;
  /** The time of the last proof by the database's clock, in epoch seconds. */
  readonly last_verified_at: number;
}

/** A factor's document before the database has stamped the time of its verification. */
export type UnstampedFactor = Omit<FactorDocument, 'method'> & {
  readonly method: Omit<FactorMethodDocument, 'last_verified_at'>;
};

/** Two factors of one key are the same factor, verified again: same kind of proof, same channel, same method. */
export function factorKey({ type, delivery_channel, method }: UnstampedFactor): string {
  return `${type}/${delivery_channel}/${method.method_id}`;
}
