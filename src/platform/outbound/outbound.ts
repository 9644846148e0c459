import { lookup } from 'node:dns';
import http, { type IncomingHttpHeaders, type IncomingMessage, type RequestOptions } from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import { OutboundFailed, UrlNotAllowed } from './outbound.errors.js';
import { isPublicAddress } from './public-address.js';

const RESOLUTION_PATIENCE_MS = 2_000;

export interface OutboundRequest {
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** From the first packet to the last byte of the answer, name resolution included. */
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
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
  /** Replaced only by tests that play a lying name server. */
  protected readonly resolve: typeof lookup = lookup;

  constructor(@Inject(Config) private readonly config: Pick<Config, 'allowPrivateNetworks'>) {}

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
   * by default after 5 seconds or 1 MiB at the latest.
   */
  async send(
    to: string,
    { method = 'GET', headers = {}, body, timeoutMs = 5_000, maxBytes = 1_048_576 }: OutboundRequest = {},
  ): Promise<OutboundResponse> {
    const url = this.permitted(to);
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
    this.resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, []);
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
