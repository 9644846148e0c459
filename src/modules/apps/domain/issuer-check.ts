/** Keeps the service from being pointed at its own network. */
export abstract class IssuerCheck {
  /** Rejects when the issuer is at an address this service must not call. */
  abstract assertCallable(issuer: string): Promise<void>;
}
