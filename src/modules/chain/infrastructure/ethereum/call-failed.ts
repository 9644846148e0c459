/** The node executed a call, and the called contract or account refused it. Every other failure of a node is another error. */
export class CallFailed extends Error {
  override readonly name = 'CallFailed';
}
