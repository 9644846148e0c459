/** A public RSA key (RFC 7517). */
export class JsonWebKeyResponse {
  readonly kty: 'RSA';
  readonly n: string;
  readonly e: string;
  readonly kid: string;
  readonly alg: 'RS256';
  readonly use: 'sig';
  /** The same as `use`, in the words some clients require. */
  readonly key_ops: 'verify'[];
}

/** The keys an app's session JWTs may be signed with: the next, the current, and those retired lately. */
export class JsonWebKeySetResponse {
  readonly keys: JsonWebKeyResponse[];
}
