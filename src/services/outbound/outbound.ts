import type { LookupAddress } from 'node:dns';
import http, { type IncomingHttpHeaders, type IncomingMessage, type RequestOptions } from 'node:http';
import https from 'node:https';
import { isIP } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { TooManyRequests } from '../../kernel/errors.js';
import type { AppId } from '../../kernel/ids.js';
import { type SpanText, traced, traceHeaders } from '../../kernel/tracing.js';
import { Config } from '../config/config.js';
import { decoded } from './decoded.js';
import { HostNames } from './host-names.js';
import { OutboundFailed, UrlNotAllowed } from './outbound.errors.js';
import { isPublicAddress } from './public-address.js';

const RESOLUTION_PATIENCE_MS = 2_000;
const MOST_PER_HOST_AND_APP = 64;
/** An app has at most 20 endpoints. Each check takes up to 3 s and uses name servers that all apps share. */
const MOST_CHECKS_PER_APP = 32;
/** Responses such as 103. Without a bound a host could keep the process busy with them. */
const MOST_INTERIM = 10;
const LONGEST_IDLE_MS = 5_000;

export interface OutboundRequest {
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The time from name resolution to the last byte of the response. */
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
  /** Returns the first `maxBytes` of a longer response instead of failing. */
  readonly truncates?: boolean;
  readonly decodes?: boolean;
  /** The host must tolerate repetition: if it closes the kept connection, the request is sent again. */
  readonly keepsConnection?: boolean;
  /** Further open requests of the app to the host fail at once. The default is 64. */
  readonly mostOpen?: number;
  /** Each app has its own bound at each host. */
  readonly appId?: AppId;
}

interface OutboundSettings extends Pick<Config, 'allowPrivateNetworks'> {
  /** By default plain http is allowed where private networks are. */
  readonly allowPlainHttp?: boolean;
}

export interface OutboundResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Apps or providers name the hosts: calls are bounded in time and size, reach no private addresses and follow no redirects. */
@Injectable()
export class Outbound {
  /** Open requests by host and app, and look-ups of `assertPublicUrl` by app. */
  private readonly underWay = new Map<string, number>();
  private readonly agents = { http: new http.Agent(KEPT), https: new https.Agent(KEPT) };

  constructor(
    @Inject(Config) private readonly config: OutboundSettings,
    @Inject(HostNames) private readonly names: Pick<HostNames, 'lookup'> = new HostNames(),
  ) {}

  /** A name that does not resolve within 2 s is accepted, because every call checks its address. Throws `TooManyRequests`. */
  async assertPublicUrl(text: string, appId?: AppId): Promise<URL> {
    const url = this.permitted(text);
    const leave = this.enter(`name ${appId ?? url.host}`, MOST_CHECKS_PER_APP);
    if (!leave) throw new TooManyRequests(1, undefined, 'The app sets too many URLs at a time. Try again later.');
    const resolved = new Promise<void>((resolve, reject) => {
      this.checkedLookup(hostOf(url), { all: true, isForgotten: true }, (error) => {
        // The place stays taken after the patience below: the queries are still under way.
        leave();
        if (error instanceof UrlNotAllowed) reject(error);
        else resolve();
      });
    });
    await Promise.race([resolved, setTimeout(RESOLUTION_PATIENCE_MS, undefined, { ref: false })]);
    return url;
  }

  /** Throws `UrlNotAllowed` or `OutboundFailed`. A host that hangs must not use up the sockets and memory that other calls need. */
  async send(to: string, request: OutboundRequest = {}): Promise<OutboundResponse> {
    const { mostOpen = MOST_PER_HOST_AND_APP } = request;
    const url = this.permitted(to);
    const leave = this.enter(`call ${url.host} ${request.appId ?? ''}`, mostOpen);
    if (!leave) throw new OutboundFailed('busy', url.host);
    try {
      return await traced(
        () => spanOf(url, request),
        () => this.exchange(url, request),
      );
    } finally {
      leave();
    }
  }

  private enter(share: string, most: number): (() => void) | null {
    const open = this.underWay.get(share) ?? 0;
    if (open >= most) return null;
    this.underWay.set(share, open + 1);
    return () => {
      const left = this.underWay.get(share)! - 1;
      if (left > 0) this.underWay.set(share, left);
      else this.underWay.delete(share);
    };
  }

  private async exchange(url: URL, request: OutboundRequest): Promise<OutboundResponse> {
    const { timeoutMs = 5_000, maxBytes = 1_048_576, truncates = false, keepsConnection = false } = request;
    const { host } = url;
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const response = await this.begin(url, request, signal, keepsConnection).catch((error: unknown) => {
        if (!(error instanceof ConnectionEnded)) throw error;
        return this.begin(url, request, signal, false);
      });
      const { statusCode: status = 0, headers } = response;
      const received = await read(response, maxBytes, truncates, host);
      const plain = request.decodes
        ? await decoded(received, headers['content-encoding'], { maxBytes, host })
        : received;
      // The decoder leaves out a byte order mark, which a JSON parser refuses.
      return { status, headers, body: new TextDecoder().decode(plain) };
    } catch (error) {
      if (error instanceof UrlNotAllowed || error instanceof OutboundFailed) throw error;
      throw new OutboundFailed(signal.aborted ? 'timeout' : 'unreachable', host, { cause: error });
    }
  }

  /** Throws `ConnectionEnded` when a kept connection was closed before the head of the response. */
  private begin(
    url: URL,
    { method = 'GET', headers = {}, body }: OutboundRequest,
    signal: AbortSignal,
    keepsConnection: boolean,
  ): Promise<IncomingMessage> {
    const isSecure = url.protocol === 'https:';
    return new Promise((resolve, reject) => {
      const options: RequestOptions = {
        method,
        headers: { 'User-Agent': 'identity-and-wallets', ...traceHeaders(), ...headers },
        // A kept connection could close during a POST that must not be sent twice.
        agent: keepsConnection && this.agents[isSecure ? 'https' : 'http'],
        lookup: this.checkedLookup,
        signal,
      };
      const request = (isSecure ? https : http).request(url, options, resolve);
      let interim = 0;
      request
        .on('information', () => ++interim > MOST_INTERIM && request.destroy(new Error('too many interim responses')))
        .on('error', (error) => reject(request.reusedSocket && !signal.aborted ? new ConnectionEnded() : error))
        // The only sign of a 101. The signal does not end the request after it.
        .on('close', () => reject(new Error('closed without a response')))
        .end(body);
    });
  }

  /** Address literals never reach `lookup`, so they are checked here. */
  private permitted(text: string): URL {
    if (!URL.canParse(text)) throw new UrlNotAllowed('This is not a URL.');
    const url = new URL(text);
    const { allowPrivateNetworks, allowPlainHttp = allowPrivateNetworks } = this.config;
    if (url.protocol !== 'https:' && !(url.protocol === 'http:' && allowPlainHttp)) {
      throw new UrlNotAllowed('The URL must begin with https://.');
    }
    if (url.username !== '' || url.password !== '') throw new UrlNotAllowed('The URL must not contain credentials.');
    if (isIP(hostOf(url))) this.assertAllowed(hostOf(url));
    return url;
  }

  // The connection's own look-up checks the address, so the name cannot change between check and connect.
  private readonly checkedLookup: HostNames['lookup'] = (hostname, options, callback) => {
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

const KEPT = { keepAlive: true, timeout: LONGEST_IDLE_MS, scheduling: 'lifo', maxFreeSockets: 64 } as const;

class ConnectionEnded extends Error {
  override readonly name = 'ConnectionEnded';
}

/** Without the path, which may hold a key of the receiver. */
function spanOf({ host }: URL, { method = 'GET', appId }: OutboundRequest): SpanText {
  const attributes = { 'http.request.method': method, 'server.address': host, ...(appId && { 'app.id': appId }) };
  return { name: `${method} ${host}`, kind: 'client', attributes };
}

function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

async function read(response: IncomingMessage, maxBytes: number, truncates: boolean, host: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  // Leaving the loop destroys the stream and its connection.
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes && !truncates) throw new OutboundFailed('too_large', host);
    chunks.push(chunk);
    if (size > maxBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, maxBytes);
}
