import { ApiSchema } from '@nestjs/swagger';
import { Example } from '../../../edge/openapi/plugin-schemas.js';
import { exampleId } from '../../../kernel/examples.js';
/** A public RSA key (RFC 7517). */
export class JsonWebKeyResponse {
  /** The type of the key, always `RSA`. */
  readonly kty!: 'RSA';
  /** The modulus in base64url. */
  @Example('u1SU1LfVLPHCozMxH2Mo4lgOEePzNm0tRgeLezV6ffAt0gunVTLw7onLRnrq0_IzW7yWR7QkrmBL7jTKEn5u')
  readonly n!: string;
  /** The public exponent in base64url. */
  @Example('AQAB')
  readonly e!: string;
  /** The id of the key, which is `kid` in the header of a JWT that it signed. */
  @Example(exampleId('signingKey'))
  readonly kid!: string;
  /** The algorithm of the signatures, always `RS256`. */
  readonly alg!: 'RS256';
  /** The use of the key, always `sig`: it verifies signatures. */
  readonly use!: 'sig';
  /** The same as `use`, in the words some clients require. */
  readonly key_ops!: 'verify'[];
}

@ApiSchema({ description: "The public keys that verify the app's session JWTs." })
export class JsonWebKeySetResponse {
  /** The next key, the current one, and those retired in the last hour. */
  readonly keys!: JsonWebKeyResponse[];
}
