import type { LookupAddress } from 'node:dns';
import http, { type IncomingHttpHeaders, type IncomingMessage, type RequestOptions } from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { AppId } from '../../kernel/ids.js';
import { Config } from '../config/config.js';
import { HostNames } from './host-names.js';
import { OutboundFailed, UrlNotAllowed } from './outbound.errors.js';
import { isPublicAddress } from './public-address.js';

const RESOLUTION_PATIENCE_MS = 2_000;
const MOST_PER_HOST_AND_APP = 64;

export interface OutboundRequest {
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** From the first packet to the last byte of the answer, name resolution included. */
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
  /** The app that the call is for: apps have a bound of their own at each host. */
  readonly appId?: AppId;
}

export interface OutboundResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/**
 * The one way to call a host somebody else named (identity providers, webhooks): bounded in time and size, never to a
 * private address, redirects not followed.
 */
@Injectable()
export class Outbound {
  /** Requests under way, by host and app. */
  private readonly underWay = new Map<string, number>();

  constructor(
    @Inject(Config) private readonly config: Pick<Config, 'allowPrivateNetworks'>,
    @Inject(HostNames) private readonly names: Pick<HostNames, 'lookup'> = new HostNames(),
  ) {}

  /**
   * The URL in canonical form. Throws `UrlNotAllowed` when it must not be called. A name that does not resolve just
   * now, or not soon, is let through: every call checks the address it connects to anyway.
   */
  async assertPublicUrl(text: string): Promise<URL> {
    const url = this.permitted(text);
    const resolved = new Promise<void>((resolve, reject) => {
      this.checkedLookup(hostOf(url), { all: true }, (error) =>
        error instanceof UrlNotAllowed ? reject(error) : resolve(),
      );
    });
    await Promise.race([resolved, setTimeout(RESOLUTION_PATIENCE_MS, undefined, { ref: false })]);
    return url;
  }

  /**
   * Sends one request and reads the whole answer, whatever its status. Throws `UrlNotAllowed` or `OutboundFailed`;
   * by default after 5 seconds or 1 MiB at the latest, and at once when 64 requests of the app to the host are under way: a
   * host that hangs must not take the sockets and memory of the others.
   */
  async send(to: string, request: OutboundRequest = {}): Promise<OutboundResponse> {
    const url = this.permitted(to);
    const share = `${url.host} ${request.appId ?? ''}`;
    const others = this.underWay.get(share) ?? 0;
    if (others >= MOST_PER_HOST_AND_APP) throw new OutboundFailed('busy', url.host);
    this.underWay.set(share, others + 1);
    try {
      return await this.exchange(url, request);
    } finally {
      const left = this.underWay.get(share)! - 1;
      if (left > 0) this.underWay.set(share, left);
      else this.underWay.delete(share);
    }
  }

  private async exchange(
    url: URL,
    { method = 'GET', headers = {}, body, timeoutMs = 5_000, maxBytes = 1_048_576 }: OutboundRequest,
  ): Promise<OutboundResponse> {
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        const options: RequestOptions = {
          method,
          headers: { 'User-Agent': 'identity-and-wallets', ...headers },
          // A connection of its own: a pooled one could die under a POST that must not be sent twice.
          agent: false,
          lookup: this.checkedLookup,
          signal,
        };
        (url.protocol === 'https:' ? https : http).request(url, options, resolve).on('error', reject).end(body);
      });
      return {
        status: response.statusCode ?? 0,
        headers: response.headers,
        body: await read(response, maxBytes, url.host),
      };
    } catch (error) {
      if (error instanceof UrlNotAllowed || error instanceof OutboundFailed) throw error;
      throw new OutboundFailed(signal.aborted ? 'timeout' : 'unreachable', url.host, { cause: error });
    }
  }

  /** All that can be said of a URL without asking a name server. Address literals never reach `lookup`, so they are judged here. */
  private permitted(text: string): URL {
    if (!URL.canParse(text)) throw new UrlNotAllowed('This is not a URL.');
    const url = new URL(text);
    const isSecure = url.protocol === 'https:';
    if (!isSecure && !(url.protocol === 'http:' && this.config.allowPrivateNetworks)) {
      throw new UrlNotAllowed('The URL must begin with https://.');
    }
    if (url.username !== '' || url.password !== '') throw new UrlNotAllowed('The URL must not carry credentials.');
    if (isIP(hostOf(url))) this.assertAllowed(hostOf(url));
    return url;
  }

  // Judging inside the lookup of the connection itself leaves no time between the check and the dialling in which the
  // name could come to mean another address.
  private readonly checkedLookup: LookupFunction = (hostname, options, callback) => {
    this.names.lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, []);
      const addresses = found as LookupAddress[];
      try {
        for (const { address } of addresses) this.assertAllowed(address);
      } catch (refusal) {
        return callback(refusal as UrlNotAllowed, []);
      }
      if (options.all) callback(null, addresses);
      else callback(null, addresses[0]?.address ?? '', addresses[0]?.family);
    });
  };

  private assertAllowed(address: string): void {
    if (!this.config.allowPrivateNetworks && !isPublicAddress(address)) {
      throw new UrlNotAllowed('The host of the URL does not have a public address.');
    }
  }
}

/** The host without the brackets of an IPv6 literal. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

async function read(response: IncomingMessage, maxBytes: number, host: string): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  // Leaving the loop destroys the stream and with it the connection, so nothing more is received.
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw new OutboundFailed('too_large', host);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
