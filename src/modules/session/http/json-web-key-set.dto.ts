import { Example } from '../../../edge/openapi/plugin-schemas.js';
import { exampleId } from '../../../kernel/examples.js';
/** A public RSA key (RFC 7517). */
export class JsonWebKeyResponse {
  readonly kty!: 'RSA';
  @Example('u1SU1LfVLPHCozMxH2Mo4lgOEePzNm0tRgeLezV6ffAt0gunVTLw7onLRnrq0_IzW7yWR7QkrmBL7jTKEn5u')
  readonly n!: string;
  @Example('AQAB')
  readonly e!: string;
  @Example(exampleId('signingKey'))
  readonly kid!: string;
  readonly alg!: 'RS256';
  readonly use!: 'sig';
  /** The same as `use`, in the words some clients require. */
  readonly key_ops!: 'verify'[];
}

/** The keys an app's session JWTs may be signed with: the next, the current, and those retired lately. */
export class JsonWebKeySetResponse {
  readonly keys!: JsonWebKeyResponse[];
}
