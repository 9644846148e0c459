/** The called contract or account refused a call that the node executed. */
export class CallFailed extends Error {
  override readonly name = 'CallFailed';
}

/** The node cannot carry out the call, for example because it lacks the block that the call names. */
export class CallRefused extends Error {
  override readonly name = 'CallRefused';
}
