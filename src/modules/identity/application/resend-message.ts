import { Injectable } from '@nestjs/common';
import type { AppId } from '../../../kernel/ids.js';
import type { Requester } from '../../../kernel/requester.js';
import { AppsFacade } from '../../apps/index.js';
import { MessageNotFound, MessageResends, type ResendableMessage } from '../domain/message-resends.js';

@Injectable()
export class ResendMessage {
  constructor(
    private readonly apps: AppsFacade,
    private readonly resends: MessageResends,
  ) {}

  /** The content of a message is not kept, so its recipient gets a new code or link. Throws as the call that sent the message. */
  async execute(by: Requester, appId: AppId, message: ResendableMessage): Promise<void> {
    const resend = this.resends.of(message);
    if (!resend) throw new MessageNotFound();
    // `audited` does not fit: the send is counted before the transaction that stores the message.
    await resend(appId, message.recipient, async () => {
      await this.apps.hold(appId);
      await this.apps.audit(by, appId, 'message.resent', message.id);
    });
  }
}
