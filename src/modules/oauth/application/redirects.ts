import type { DomainError } from '../../../kernel/domain-error.js';

/** The URL with parameters added behind the query it has, which stays as it was registered. */
export function withParameters(url: string, parameters: Readonly<Record<string, string>>): string {
  const result = new URL(url);
  result.search = `${result.search === '' ? '?' : `${result.search}&`}${new URLSearchParams(parameters).toString()}`;
  return result.href;
}

/** Tells the app of a refusal where its users log in, in the parameters of RFC 6749, section 4.1.2.1. */
export function refusalAt(loginUrl: string, refusal: DomainError): string {
  return withParameters(loginUrl, { error: refusal.code, error_description: refusal.message });
}
