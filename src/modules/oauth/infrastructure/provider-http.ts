import { Injectable } from '@nestjs/common';
import { OutboundFailed, UrlNotAllowed } from '../../../services/outbound/outbound.errors.js';
import { Outbound, type OutboundRequest, type OutboundResponse } from '../../../services/outbound/outbound.js';
import { ProviderRejected, ProviderUnavailable } from '../domain/oauth.errors.js';

export type Json = Readonly<Record<string, unknown>>;

/** Calls to identity providers. Whatever goes wrong is either the provider being away or the provider being wrong. */
@Injectable()
export class ProviderHttp {
  constructor(private readonly outbound: Outbound) {}

  /** Throws `ProviderRejected` when the URL must not be called. */
  async assertCallable(url: string): Promise<void> {
    await told(url, () => this.outbound.assertPublicUrl(url));
  }

  /** The answer, unless it is the provider's own failure. A refusal (4xx) or a redirect is an answer. */
  async send(url: string, request: OutboundRequest = {}): Promise<OutboundResponse> {
    const headers = { Accept: 'application/json', ...request.headers };
    const response = await told(url, () => this.outbound.send(url, { ...request, headers }));
    if (response.status >= 500 || response.status === 429)
      throw new ProviderUnavailable(`${urlForLog(url)} answered ${response.status}`);
    return response;
  }

  /** The JSON a GET brings. Throws `ProviderRejected` for any other answer. */
  async get(url: string, headers: Readonly<Record<string, string>> = {}): Promise<unknown> {
    return jsonOf(url, await this.send(url, { headers }));
  }
}

/** The JSON of a successful answer from this URL. Throws `ProviderRejected` for any other. */
export function jsonOf(url: string, { status, body }: OutboundResponse): unknown {
  if (status !== 200) throw new ProviderRejected(`${urlForLog(url)} answered ${status}`);
  try {
    return JSON.parse(body);
  } catch {
    throw new ProviderRejected(`${urlForLog(url)} answered something that is not JSON`);
  }
}

/** The value as a JSON object. Throws `ProviderRejected` when it is anything else. */
export function jsonObject(value: unknown, what: string): Json {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json;
  throw new ProviderRejected(`${what} is not a JSON object`);
}

async function told<T>(url: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (cause) {
    if (cause instanceof UrlNotAllowed)
      throw new ProviderRejected(`${urlForLog(url)} may not be called: ${cause.message}`, { cause });
    if (!(cause instanceof OutboundFailed)) throw cause;
    if (cause.reason === 'too_large') throw new ProviderRejected(`${urlForLog(url)} answered too much`, { cause });
    throw new ProviderUnavailable(`${urlForLog(url)} failed: ${cause.reason}`, { cause });
  }
}

/** Without the query, where secrets may stand. */
function urlForLog(url: string): string {
  return URL.canParse(url) ? new URL(url).origin + new URL(url).pathname : 'a malformed URL';
}
