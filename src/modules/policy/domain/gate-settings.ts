/** The operator's settings for the gate. */
export abstract class GateSettings {
  /** The chain id of the service's Ethereum network, whether or not a node is configured. */
  abstract readonly ethereumChainId: number;
}
