import { setTimeout as sleep } from 'node:timers/promises';
import type { Replica } from '../replica.js';

/** The client's timeout: a later response counts as none. */
const TIMEOUT_MS = 8_000;
const MOST_TRIES = 600;

export interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** Calls the service with the secret key of the app. */
export class AppClient {
  constructor(
    private readonly replicas: readonly Replica[],
    private readonly key: string,
    private readonly random: () => number,
  ) {}

  /** Calls a replica that is ready, or the given one. Null if there was no response. */
  async call(method: string, path: string, body: unknown, at?: Replica): Promise<Answer | null> {
    const ready = this.replicas.filter(({ url }) => url !== undefined);
    const url = at ? at.url : ready[Math.floor(this.random() * ready.length)]?.url;
    if (url === undefined) return null;
    try {
      const response = await fetch(url + path, {
        method,
        headers: { authorization: `Bearer ${this.key}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    } catch {
      return null;
    }
  }

  /** Repeats the call until it succeeds. */
  async callUntilDone(method: string, path: string, body: unknown): Promise<Record<string, unknown>> {
    for (let tries = 1; ; tries++) {
      const answer = await this.call(method, path, body);
      if (answer && answer.status < 300) return answer.body;
      if (tries === MOST_TRIES) throw new Error(`${method} ${path} failed: ${JSON.stringify(answer)}`);
      await sleep(100);
    }
  }
}

/** An endpoint as its receiver knows it. */
export class Endpoint {
  /** All secrets that the client has received. */
  readonly secrets: string[] = [];

  private constructor(
    private readonly client: AppClient,
    /** The path of its URL, which names it in the journal. */
    readonly path: string,
    readonly id: string,
    readonly types: readonly string[],
    readonly isOrdered: boolean,
  ) {}

  static async create(
    client: AppClient,
    receiver: string,
    wanted: { path: string; ordered?: boolean; types?: readonly string[] },
  ): Promise<Endpoint> {
    const { path, ordered = false, types = [] } = wanted;
    const created = await client.callUntilDone('POST', '/v1/webhook_endpoints', {
      url: receiver + path,
      ordered,
      event_types: types,
    });
    const endpoint = new Endpoint(client, path, String(created['id']), types, ordered);
    endpoint.secrets.push(String(created['secret']));
    return endpoint;
  }

  wants(type: string): boolean {
    return this.types.length === 0 || this.types.includes(type);
  }

  /** False if there was no response: the client then does not know the secret that signs. */
  async rotate(at: Replica): Promise<boolean> {
    const answer = await this.client.call('POST', `${this.route}/rotate_secret`, { overlap_minutes: 60 }, at);
    if (answer?.status !== 200) return false;
    this.secrets.push(String(answer.body['secret']));
    return true;
  }

  async rotateUntilDone(): Promise<void> {
    const { secret } = await this.client.callUntilDone('POST', `${this.route}/rotate_secret`, { overlap_minutes: 60 });
    this.secrets.push(String(secret));
  }

  /** Enables it after it was disabled, and asks for what happened since. */
  async recover(since: number): Promise<void> {
    await this.client.callUntilDone('PATCH', this.route, { disabled: false });
    await this.client.callUntilDone('POST', `${this.route}/recover`, { since });
  }

  private get route(): string {
    return `/v1/webhook_endpoints/${this.id}`;
  }
}
