import { Injectable } from '@nestjs/common';
import {
  allowInsecureRequests,
  type CustomFetchOptions,
  JWT_CLAIM_COMPARISON,
  OperationProcessingError,
  UnsupportedOperationError,
} from 'oauth4webapi';
import { DomainError } from '../../../kernel/domain-error.js';
import type { AppId } from '../../../kernel/ids.js';
import { OutboundFailed, UrlNotAllowed } from '../../../services/outbound/outbound.errors.js';
import { Outbound, type OutboundRequest, type OutboundResponse } from '../../../services/outbound/outbound.js';
import { ProviderRejected, ProviderUnavailable } from '../domain/oauth.errors.js';

export type Json = Readonly<Record<string, unknown>>;

export type ProviderFetch = (
  url: string,
  options: Omit<CustomFetchOptions<string, unknown>, 'redirect'>,
) => Promise<Response>;

/** The bounded client itself refuses plain http, except in development. */
export const OVER_HTTP = { [allowInsecureRequests]: true } as const;

// A Response with one of these statuses must not have a body.
const WITHOUT_BODY: readonly number[] = [204, 205, 304];

@Injectable()
export class ProviderHttp {
  constructor(private readonly outbound: Outbound) {}

  /** Redirects are not followed; of the headers only the content type is returned. */
  readonly fetch = this.fetchFor();

  fetchFor(appId?: AppId): ProviderFetch {
    return async (url, { method, headers: { 'user-agent': _library, ...headers }, body }) => {
      const form = body instanceof URLSearchParams ? body.toString() : undefined;
      // Some providers compare the whole content type, to which the library adds a charset.
      if (form !== undefined) headers['content-type'] = 'application/x-www-form-urlencoded';
      const answer = await this.send(url, { method: method === 'POST' ? 'POST' : 'GET', headers, body: form, appId });
      return new Response(WITHOUT_BODY.includes(answer.status) ? null : answer.body, {
        status: answer.status,
        headers: { 'content-type': answer.headers['content-type']?.toLowerCase() ?? '' },
      });
    };
  }

  async assertCallable(url: string): Promise<void> {
    await translated(url, () => this.outbound.assertPublicUrl(url));
  }

  /** A 4xx or a redirect is a response; 429 and 5xx are failures. */
  async send(url: string, request: OutboundRequest = {}): Promise<OutboundResponse> {
    const headers = { accept: 'application/json', ...request.headers };
    const response = await translated(url, () => this.outbound.send(url, { ...request, headers, decodes: true }));
    if (response.status >= 500 || response.status === 429)
      throw new ProviderUnavailable(`${urlForLog(url)} answered ${response.status}`);
    return response;
  }
}

export function jsonOf(url: string, { status, body }: OutboundResponse): unknown {
  if (status !== 200) throw new ProviderRejected(`${urlForLog(url)} answered ${status}`);
  try {
    return JSON.parse(body);
  } catch {
    throw new ProviderRejected(`${urlForLog(url)} answered something that is not JSON`);
  }
}

export function jsonObject(value: unknown, what: string): Json {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json;
  throw new ProviderRejected(`${what} is not a JSON object`);
}

/** The cause is dropped, because oauth4webapi attaches tokens and claims to it. */
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

/** Any other value may be text of an attacker. */
export function errorCode(value: unknown): string {
  return typeof value === 'string' && /^[a-z0-9_.-]{1,64}$/i.test(value) ? value : 'an error without a code';
}

async function translated<T>(url: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (cause) {
    if (cause instanceof UrlNotAllowed)
      throw new ProviderRejected(`${urlForLog(url)} may not be called: ${cause.message}`, { cause });
    if (!(cause instanceof OutboundFailed)) throw cause;
    if (cause.reason === 'too_large') throw new ProviderRejected(`${urlForLog(url)} answered too much`, { cause });
    if (cause.reason === 'undecodable')
      throw new ProviderRejected(`${urlForLog(url)} answered in a content coding that cannot be decoded`, { cause });
    throw new ProviderUnavailable(`${urlForLog(url)} failed: ${cause.reason}`, { cause });
  }
}

/** Drops the query, which may contain secrets. */
function urlForLog(url: string): string {
  return URL.canParse(url) ? new URL(url).origin + new URL(url).pathname : 'a malformed URL';
}
