import { RandomSecretTokens } from '../../src/services/crypto/random-secret-tokens.js';
import { DerivedKeys } from '../../src/services/crypto/service-secret.js';

/** The tokens of a service with the same secret in every test. */
export const testTokens = (): RandomSecretTokens => new RandomSecretTokens(new DerivedKeys(Buffer.alloc(32, 1)));
