import type { CanonicalAddress } from './facts.js';

/** What facts need to know of networks. */
export abstract class Networks {
  /** The name of a configured network for its CAIP-2 name; any other one unchanged. */
  abstract readonly nameOf: (network: string) => string;
  abstract readonly canonicalAddress: CanonicalAddress;
}
