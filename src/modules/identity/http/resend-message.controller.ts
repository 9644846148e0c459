import { Controller, HttpCode, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ManagementKey, RequestedBy } from '../../../edge/auth/credentials.js';
import { Refuses } from '../../../edge/errors/error-catalogue.js';
import { SafeToRepeat } from '../../../edge/idempotency/post-routes.js';
import { PathId } from '../../../edge/http/path-id.js';
import type { AppId, Id } from '../../../kernel/ids.js';
import type { Requester } from '../../../kernel/requester.js';
import { DeliveryNotConfigured } from '../../../services/mail/deliveries.js';
import { MessageLog } from '../../../services/mail/message-log.js';
import { SmsCountryNotAllowed } from '../../../services/sms/queued-texts.js';
import { AppNotFound, AppsFacade, InvalidRedirectUrl, NoDefaultRedirectUrl } from '../../apps/index.js';
import { UserInactive, UserNotFound } from '../domain/identity.errors.js';
import { MessageNotFound, MessageResends } from '../domain/message-resends.js';
import { ResentMessageResponse } from './resend-message.dto.js';

/** Not in the module of apps, which lists messages but knows no users. */
@ApiTags('management: messages')
@Controller('management/v1/apps/:app_id/messages')
export class ResendMessageController {
  constructor(
    private readonly apps: AppsFacade,
    private readonly messages: MessageLog,
    private readonly resends: MessageResends,
  ) {}

  /**
   * Send a mail or SMS again
   *
   * @remarks Sends the user who holds the address a new code or link; the earlier one is void. It has the default lifetime of a link, and
   * the longest one of a code. A link leads to the app's default URL of its kind.
   */
  @Post(':message_id/resend')
  @HttpCode(200)
  @SafeToRepeat()
  @ManagementKey('support')
  @Refuses(UserNotFound, UserInactive, SmsCountryNotAllowed, DeliveryNotConfigured)
  @Refuses(InvalidRedirectUrl, NoDefaultRedirectUrl)
  async resend(
    @RequestedBy() by: Requester,
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @PathId('message_id', 'message', MessageNotFound) id: Id<'message'>,
  ): Promise<ResentMessageResponse> {
    await this.apps.requireLive(appId);
    const message = await this.messages.find(appId, id);
    const resend = message && this.resends.of(message);
    if (!resend) throw new MessageNotFound();
    // The content of a message is not kept, so its recipient gets a new code or link. `audited` does not fit: the send is counted before
    // the transaction that stores the message.
    await resend(appId, message.recipient, async () => {
      await this.apps.hold(appId);
      await this.apps.audit(by, appId, 'message.resent', message.id);
    });
    return { id, message: 'A new message is sent soon.' };
  }
}
