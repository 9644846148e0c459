import { refusal } from '../../kernel/domain-error.js';

/** Found when the URL was set or before connecting. */
export class UrlNotAllowed extends refusal('invalid', 'url_not_allowed', {
  message: (message: string) => message,
  help: 'The service only calls https URLs without credentials in them, on hosts with public addresses. Loopback, private and metadata addresses are refused. In development ALLOW_PRIVATE_NETWORKS=true permits them, and http.',
}) {}

export type OutboundFailure = 'timeout' | 'too_large' | 'undecodable' | 'unreachable' | 'busy';

/** Contains nothing that was sent or received. */
export class OutboundFailed extends Error {
  override readonly name = 'OutboundFailed';
  constructor(
    readonly reason: OutboundFailure,
    host: string,
    options?: ErrorOptions,
  ) {
    super(`The call to ${host} failed: ${reason}.`, options);
  }
}
