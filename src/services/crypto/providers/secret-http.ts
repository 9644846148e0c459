import http from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import { secretBuffer } from '../aes-gcm.js';
import { ProviderFailed } from '../key-provider.js';

const MOST_BYTES = 64 * 1024;

export function secretAgent(url: string, ca?: string): http.Agent {
  const options = { keepAlive: true, timeout: 5_000, maxSockets: 32 };
  return url.startsWith('https:') ? new https.Agent({ ...options, ...(ca && { ca }) }) : new http.Agent(options);
}

export interface SecretCall {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly agent: http.Agent;
  readonly signal: AbortSignal;
}

export interface SecretAnswer {
  readonly status: number;
  /** The caller must overwrite it if it holds a secret. */
  readonly body: Buffer;
}

/** Bodies are buffers that are overwritten: strings cannot be, and `fetch` copies bodies into its own buffers. */
export async function callWithSecret({ url, headers, body, agent, signal }: SecretCall): Promise<SecretAnswer> {
  const chunks: Buffer[] = [];
  const keep = (chunk: Buffer): void => void chunks.push(chunk);
  let socket: Socket | undefined;
  try {
    const { request } = url.startsWith('https:') ? https : http;
    const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
      const sized = { ...headers, 'content-length': String(body.length), 'accept-encoding': 'identity' };
      request(url, { method: 'POST', headers: sized, agent, signal }, resolve)
        // Before the parser, which copies the body from the bytes that the socket has read.
        .on('socket', (used) => (socket = used.prependListener('data', keep)))
        .on('error', reject)
        .end(body);
    });
    // Decoding would leave copies of the secret in memory.
    const { 'content-encoding': coding = 'identity' } = response.headers;
    if (coding !== 'identity') {
      response.destroy();
      const cure = 'Switch compression off for its responses.';
      throw new ProviderFailed('failed', `The response of the key provider is compressed. ${cure}`);
    }
    const parts: Buffer[] = [];
    let size = 0;
    for await (const part of response as AsyncIterable<Buffer>) {
      chunks.push(part);
      parts.push(part);
      size += part.length;
      if (size > MOST_BYTES) throw new ProviderFailed('failed', 'The response of the key provider is too long.');
    }
    const whole = secretBuffer(size);
    let end = 0;
    for (const part of parts) end += part.copy(whole, end);
    return { status: response.statusCode ?? 0, body: whole };
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof ProviderFailed) throw error;
    const { code = 'no response' } = error as NodeJS.ErrnoException;
    throw new ProviderFailed('unreachable', `The key provider cannot be reached: ${code}.`, { cause: error });
  } finally {
    socket?.off('data', keep);
    for (const chunk of chunks) chunk.fill(0);
    body.fill(0);
  }
}

const ALPHABET = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/');
const PADDING = 0x3d;
const QUOTE = 0x22;

/** No string holds the secret. */
export function jsonWithSecret(members: Readonly<Record<string, unknown>>, field: string, secret: Uint8Array): Buffer {
  const before = Buffer.from(`{${JSON.stringify(field)}:"`);
  const after = Buffer.from(`",${JSON.stringify(members).slice(1)}`);
  const json = Buffer.alloc(before.length + Math.ceil(secret.length / 3) * 4 + after.length);
  let end = before.copy(json);
  for (let i = 0; i < secret.length; i += 3) {
    const bits = (secret[i]! << 16) | ((secret[i + 1] ?? 0) << 8) | (secret[i + 2] ?? 0);
    for (let position = 0; position < 4; position++) {
      const isPadding = i * 8 + position * 6 >= secret.length * 8;
      json[end++] = isPadding ? PADDING : ALPHABET[(bits >> (18 - position * 6)) & 63]!;
    }
  }
  after.copy(json, end);
  return json;
}

/** It also overwrites the JSON. */
export function takeSecret(json: Buffer, field: string): Buffer {
  try {
    const name = json.indexOf(`"${field}"`);
    const begin = json.indexOf(QUOTE, json.indexOf(':', name + field.length + 2)) + 1;
    const end = json.indexOf(QUOTE, begin);
    if (name < 0 || begin <= 0 || end < 0)
      throw new ProviderFailed('failed', `The response of the key provider has no ${field}.`);
    const text = json.subarray(begin, end);
    const length = text.includes(PADDING) ? text.indexOf(PADDING) : text.length;
    const secret = secretBuffer(Math.floor((length * 6) / 8));
    let bits = 0;
    for (let i = 0, count = 0, written = 0; i < length; i++) {
      const value = ALPHABET.indexOf(text[i]!);
      if (value < 0)
        throw new ProviderFailed('failed', `The ${field} in the response of the key provider is not base64.`);
      bits = ((bits << 6) | value) & 0xffff;
      count += 6;
      if (count < 8) continue;
      count -= 8;
      secret[written++] = (bits >> count) & 0xff;
    }
    return secret;
  } finally {
    json.fill(0);
  }
}
