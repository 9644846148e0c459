import type { CanonicalAddress } from './facts.js';

/** The names of networks, and the form of addresses, that facts use. */
export abstract class Networks {
  /** The name of a configured network for its CAIP-2 name; any other one unchanged. */
  abstract readonly nameOf: (network: string) => string;
  abstract readonly canonicalAddress: CanonicalAddress;
}
