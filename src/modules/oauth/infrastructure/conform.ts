import { JWT_CLAIM_COMPARISON, OperationProcessingError, UnsupportedOperationError } from 'oauth4webapi';
import { DomainError } from '../../../kernel/domain-error.js';
import { ProviderRejected } from '../domain/oauth.errors.js';

/**
 * Runs checks of oauth4webapi and maps their errors to `ProviderRejected`. The cause is dropped, because the library
 * attaches tokens and claims to it.
 */
export async function conform<T>(what: string, check: () => Promise<T> | T): Promise<T> {
  try {
    return await check();
  } catch (error) {
    if (error instanceof DomainError) throw error;
    throw new ProviderRejected(`the ${what} ${reasonOf(error)}`);
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof OperationProcessingError) {
    const { claim } = (error.cause ?? {}) as { readonly claim?: string };
    return error.code === JWT_CLAIM_COMPARISON ? `has another ${claim}` : `does not conform: ${error.message}`;
  }
  if (error instanceof UnsupportedOperationError) return `is not supported: ${error.message}`;
  // Web Crypto and the JSON parser quote the provider's text in their messages.
  return 'is malformed';
}
