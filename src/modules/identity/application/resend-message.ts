import { Injectable } from '@nestjs/common';
import type { AppId, Id } from '../../../kernel/ids.js';
import type { Requester } from '../../../kernel/requester.js';
import { MessageLog } from '../../../services/mail/message-log.js';
import { AppsFacade } from '../../apps/index.js';
import { MessageNotFound, MessageResends } from '../domain/message-resends.js';

@Injectable()
export class ResendMessage {
  constructor(
    private readonly apps: AppsFacade,
    private readonly messages: MessageLog,
    private readonly resends: MessageResends,
  ) {}

  /** The content of a message is not kept, so its recipient gets a new code or link. Throws as the call that sent the message. */
  async execute(by: Requester, appId: AppId, id: Id<'message'>): Promise<void> {
    await this.apps.requireLive(appId);
    const message = await this.messages.find(appId, id);
    const resend = message ? this.resends.of(message) : undefined;
    if (!message || !resend) throw new MessageNotFound();
    // Not by `audited`: the send is counted before the transaction that stores the message.
    await resend(appId, message.recipient, async () => {
      await this.apps.hold(appId);
      await this.apps.audit(by, appId, 'message.resent', id);
    });
  }
}
