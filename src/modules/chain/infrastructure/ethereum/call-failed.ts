/** The node executed a call, and the called contract or account refused it. Every other failure of a node is another error. */
export class CallFailed extends Error {
  override readonly name = 'CallFailed';
}

/** The node reported that it cannot carry out the call, for example because it does not have the block that the call names. */
export class CallRefused extends Error {
  override readonly name = 'CallRefused';
}
