/** A proof that a user gave when signing in, as described by the module that checked it. */
export interface Factor {
  readonly type: string;
  readonly deliveryChannel: string;
  /** The names that the method's registered `fields` give an answer field for. */
  readonly method: { readonly type: string } & Readonly<Record<string, string>>;
}

/** A factor as sessions store it, answer it and sign it into JWTs: one shape, so no reader has to convert it. */
export interface FactorDocument {
  readonly delivery_channel: string;
  readonly type: string;
  readonly method: FactorMethodDocument;
}

/** Besides these, the fields that are registered for the `method_type`. */
export interface FactorMethodDocument {
  readonly method_id: string;
  readonly method_type: string;
  /** Epoch seconds of the database's clock. */
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
