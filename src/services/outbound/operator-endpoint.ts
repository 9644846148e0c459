import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { traced, traceHeaders } from '../../kernel/tracing.js';
import { decoded } from './decoded.js';
import { HostNames } from './host-names.js';
import { OutboundFailed } from './outbound.errors.js';

/** `fetch` refuses a URL with credentials, so they become a header. */
function addressed(text: string): {
  readonly url: string;
  readonly headers?: { readonly Authorization: string };
} {
  const url = new URL(text);
  const { username, password } = url;
  if (username === '') return { url: text };
  url.username = url.password = '';
  const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
  return { url: url.href, headers: { Authorization: `Basic ${credentials}` } };
}

/** Several times the longest useful response: a full block of a busy chain, as JSON. */
const MOST_BYTES = 64 * 1024 * 1024;

interface EndpointAnswer {
  readonly status: number;
  readonly statusText: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Any address is permitted, connections stay open, redirects are not followed. URLs of apps go through `Outbound`. */
export class OperatorEndpoint {
  private readonly url: URL;
  private readonly authorization: { readonly Authorization?: string };
  private readonly agent: http.Agent;

  constructor(text: string, names = new HostNames()) {
    const { url, headers = {} } = addressed(text);
    this.url = new URL(url);
    this.authorization = headers;
    this.agent = names.agent(url);
  }

  /** Throws the reason of an aborted signal, also during name resolution, and `OutboundFailed` for more than `maxBytes`. */
  post(
    body: string | Uint8Array,
    { signal, maxBytes = MOST_BYTES }: { readonly signal?: AbortSignal; readonly maxBytes?: number },
  ): Promise<EndpointAnswer> {
    const { host } = this.url;
    const attributes = { 'http.request.method': 'POST', 'server.address': host };
    return traced(
      () => ({ name: `POST ${host}`, kind: 'client', attributes }),
      () => this.exchange(body, signal, maxBytes),
    );
  }

  private async exchange(
    body: string | Uint8Array,
    signal: AbortSignal | undefined,
    maxBytes: number,
  ): Promise<EndpointAnswer> {
    try {
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        let isAnswered = false;
        const headers = {
          'Content-Type': 'application/json',
          'Content-Length': Buffer.byteLength(body),
          Accept: 'application/json',
          'Accept-Encoding': 'gzip',
          ...traceHeaders(),
          ...this.authorization,
        };
        (this.url.protocol === 'https:' ? https : http)
          .request(this.url, { method: 'POST', headers, agent: this.agent, signal }, (answer) => {
            isAnswered = true;
            resolve(answer);
          })
          .on('error', reject)
          // The only sign of a change of protocol, after which the signal ends nothing. An error's trace would cost as much as the call.
          .on('close', () => isAnswered || reject(new OutboundFailed('unreachable', this.url.host)))
          .end(body);
      });
      return {
        status: response.statusCode ?? 0,
        statusText: response.statusMessage ?? '',
        headers: response.headers,
        body: await this.read(response, maxBytes),
      };
    } catch (error) {
      throw signal?.aborted ? signal.reason : error;
    }
  }

  private async read(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
    const { host } = this.url;
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) throw new OutboundFailed('too_large', host);
      chunks.push(chunk);
    }
    return decoded(Buffer.concat(chunks), response.headers['content-encoding'], { maxBytes, host });
  }
}
