import type { AppId, UserId } from '../../../kernel/ids.js';
import { Registry } from '../../../kernel/registry.js';

/** A claim that a module adds to the JWTs of sessions. */
export interface SessionClaim {
  /** A name that RFC 7519 does not register, such as a URL. */
  readonly name: string;
  /** SQL that selects the value as jsonb for user `$2` of app `$1`: one column of at most one row. Null leaves the claim out. */
  readonly value: string;
  /** The maximum size of the value. A larger one is left out. */
  readonly maxBytes: number;
}

/** All of them together. The session object of a JWT needs the rest. */
const MOST_BYTES = 1_000;

/** The claims of session JWTs besides those of the session itself. A JWT has the values of the time at which it is signed. */
export abstract class SessionClaims {
  protected readonly claims = new Registry<SessionClaim>('The claim of sessions');

  /** Call it in `onModuleInit`. */
  register(claim: SessionClaim): void {
    if (this.maxBytes + claim.maxBytes > MOST_BYTES)
      throw new Error(`The claim ${claim.name} is too large: all claims of modules have at most ${MOST_BYTES} bytes.`);
    this.claims.add(claim.name, claim);
  }

  get maxBytes(): number {
    return [...this.claims.values()].reduce((sum, { maxBytes }) => sum + maxBytes, 0);
  }

  /** The values for a user, by the names of the claims. */
  abstract of(appId: AppId, userId: UserId): Promise<Readonly<Record<string, unknown>>>;
}
