import { setTimeout as sleep } from 'node:timers/promises';
import type { AppClient } from './endpoints.js';

/** Between two changes when the run has made as many as it may. */
const WAIT_MS = 2_000;

/** What a client knows about the changes of one user. */
interface KnownUser {
  readonly id: string;
  /** Changes that were sent, and those of them whose success was reported. */
  sent: number;
  confirmed: number;
}

/** Clients that create users and change them. The result of a call that gets no response stays unknown. */
export class Traffic {
  readonly users: KnownUser[] = [];
  private isOver = false;
  private made = 0;
  private confirmed = 0;
  private readonly running: Promise<void>[] = [];

  constructor(
    private readonly client: AppClient,
    private readonly random: () => number,
    private readonly most: { readonly users: number },
  ) {}

  /** `allowed` is the number of changes after which the clients become slow. */
  start(clients: number, allowed: () => number): void {
    for (let n = 0; n < clients; n++) this.running.push(this.run(allowed));
  }

  /** Those whose success was reported: each has at least one event. */
  get changes(): number {
    return this.confirmed;
  }

  async stop(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.running);
  }

  private async run(allowed: () => number): Promise<void> {
    while (!this.isOver) {
      const isDone = await this.change();
      if (isDone) this.confirmed += 1;
      if (!isDone || this.confirmed >= allowed()) await sleep(WAIT_MS);
    }
  }

  private async change(): Promise<boolean> {
    const number = (this.made += 1);
    if (this.users.length < this.most.users) return this.create(number);
    const user = this.users[Math.floor(this.random() * this.users.length)]!;
    user.sent += 1;
    const answer = await this.client.call('PUT', `/v1/auth/users/${user.id}/update`, { first_name: `Ann ${number}` });
    if (answer?.status !== 200) return false;
    user.confirmed += 1;
    return true;
  }

  private async create(number: number): Promise<boolean> {
    const body = { email: `user-${number}@example.com`, wallet_type: 'none' };
    const answer = await this.client.call('POST', '/v1/auth/users/create', body);
    if (answer?.status !== 200) return false;
    this.users.push({ id: String(answer.body['user_id']), sent: 0, confirmed: 0 });
    return true;
  }
}
