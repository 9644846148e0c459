import { refusal } from '../../../kernel/domain-error.js';
import type { AppId, Id } from '../../../kernel/ids.js';
import { Registry } from '../../../kernel/registry.js';

/** The new code or link voids the earlier one. `record` runs in the transaction that stores the message. */
type Resend = (appId: AppId, recipient: string, record: () => Promise<void>) => Promise<void>;

export interface ResendableMessage {
  readonly id: Id<'message'>;
  readonly channel: 'mail' | 'sms';
  readonly kind: string;
  readonly recipient: string;
}

export class MessageResends {
  private readonly resends = new Registry<Resend>('The kind of message');

  register(channel: 'mail' | 'sms', kind: string, resend: Resend): void {
    this.resends.add(`${channel} ${kind}`, resend);
  }

  of({ channel, kind }: ResendableMessage): Resend | undefined {
    return this.resends.get(`${channel} ${kind}`);
  }
}

export class MessageNotFound extends refusal('not_found', 'message_not_found', {
  message: 'The app has no such message.',
  help: 'The app has no mail or SMS with this id. A message is kept for 30 days.',
}) {}
