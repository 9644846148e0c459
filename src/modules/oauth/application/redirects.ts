import type { DomainError } from '../../../kernel/domain-error.js';
import { withParameters } from '../../../kernel/query-parameters.js';

/** The app's login URL with a refusal in the parameters of RFC 6749, section 4.1.2.1. */
export function refusalAt(loginUrl: string, refusal: DomainError): string {
  return withParameters(loginUrl, { error: refusal.code, error_description: refusal.message });
}
