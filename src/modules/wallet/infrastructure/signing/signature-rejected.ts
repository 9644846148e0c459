/** A signature that does not verify as the wallet's. Never the caller's fault: a fault of the machine, or of the stored row. */
export class SignatureRejected extends Error {
  override readonly name = 'SignatureRejected';
  constructor() {
    super('A fresh signature did not verify against the wallet, so it was not given out.');
  }
}

/** Bytes for a payment that are not the unsigned transaction of this wallet. A fault of the service, never the caller's. */
export class NotAPayment extends Error {
  override readonly name = 'NotAPayment';
  constructor() {
    super('The bytes are not an unsigned transaction of this wallet, so they were not signed.');
  }
}
