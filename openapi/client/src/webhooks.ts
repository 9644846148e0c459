import { decodeBase64 } from './bytes.js';
import type { Event } from './document.js';

export interface WebhookVerifierOptions {
  /** The secret of the endpoint (`whsec_…`). During a rotation, both: a delivery may be signed by either. */
  readonly secret: string | readonly string[];
  /** Older and later deliveries are refused, so that a recorded one cannot be replayed: 300 s by default. */
  readonly toleranceSeconds?: number;
  /** The time in milliseconds since 1970. */
  readonly now?: () => number;
}

export type WebhookFault = 'missing_header' | 'timestamp' | 'too_old' | 'too_new' | 'signature' | 'body';

/** The delivery is not of the service, or was changed on its way: answer 400. */
export class InvalidWebhook extends Error {
  override readonly name = 'InvalidWebhook';
  constructor(readonly fault: WebhookFault) {
    super(`The webhook is not valid: ${fault}.`);
  }
}

/** Headers of a request: of fetch, or of `node:http` by lower-case name. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | string[] | undefined>>;

type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

const HMAC = { name: 'HMAC', hash: 'SHA-256' };

/** Verifies deliveries by Standard Webhooks 1.0. */
export class WebhookVerifier {
  private readonly keys: Promise<Key[]>;

  constructor(private readonly options: WebhookVerifierOptions) {
    const secrets = [options.secret].flat().map((secret) => {
      const bytes = decodeBase64(secret.replace(/^whsec_/, ''), 'base64');
      if (!bytes?.length) throw new Error('A webhook secret is `whsec_` and base64.');
      return bytes;
    });
    if (secrets.length === 0) throw new Error('A webhook verifier needs a secret.');
    this.keys = Promise.all(secrets.map((bytes) => crypto.subtle.importKey('raw', bytes, HMAC, false, ['verify'])));
  }

  /**
   * The event of a delivery. `body` is the received text or bytes, not parsed and written again. An event may arrive
   * more than once: its `id` is the same each time. Throws `InvalidWebhook`.
   */
  async verify(body: string | Uint8Array, headers: WebhookHeaders): Promise<Event> {
    const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) =>
      read(headers, `webhook-${name}`),
    );
    if (!id || !timestamp || !signatures) throw new InvalidWebhook('missing_header');
    this.checkTime(timestamp);
    const content = signedContent(id, timestamp, body);
    if (!(await this.isSigned(content, signatures))) throw new InvalidWebhook('signature');
    try {
      return JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body)) as Event;
    } catch {
      throw new InvalidWebhook('body');
    }
  }

  private checkTime(timestamp: string): void {
    if (!/^\d{1,12}$/.test(timestamp)) throw new InvalidWebhook('timestamp');
    const age = Math.floor((this.options.now?.() ?? Date.now()) / 1_000) - Number(timestamp);
    const { toleranceSeconds = 300 } = this.options;
    if (age > toleranceSeconds) throw new InvalidWebhook('too_old');
    if (age < -toleranceSeconds) throw new InvalidWebhook('too_new');
  }

  private async isSigned(content: Uint8Array<ArrayBuffer>, signatures: string): Promise<boolean> {
    for (const signature of signatures.split(' ')) {
      const bytes = signature.startsWith('v1,') ? decodeBase64(signature.slice(3), 'base64') : null;
      if (!bytes) continue;
      for (const key of await this.keys) {
        // WebCrypto compares in constant time.
        if (await crypto.subtle.verify(HMAC, key, bytes, content)) return true;
      }
    }
    return false;
  }
}

function signedContent(id: string, timestamp: string, body: string | Uint8Array): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const start = encoder.encode(`${id}.${timestamp}.`);
  const end = typeof body === 'string' ? encoder.encode(body) : body;
  const content = new Uint8Array(start.length + end.length);
  content.set(start);
  content.set(end, start.length);
  return content;
}

function read(headers: WebhookHeaders, name: string): string | null {
  if (headers instanceof Headers) return headers.get(name);
  const value = headers[name];
  return typeof value === 'string' ? value : null;
}
