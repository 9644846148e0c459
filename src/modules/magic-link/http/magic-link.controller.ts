import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type AuthenticatedApp, bindingOf } from '../../../edge/http/authenticated-request.js';
import { App, ManagementKey, RequestedBy, SecretKey } from '../../../edge/auth/credentials.js';
import { Refuses } from '../../../edge/errors/error-catalogue.js';
import { SafeToRepeat, SignsIn } from '../../../edge/idempotency/post-routes.js';
import { PathId } from '../../../edge/http/path-id.js';
import { Deprecated } from '../../../edge/http/stability.js';
import type { AppId } from '../../../kernel/ids.js';
import type { Requester } from '../../../kernel/requester.js';
import { DeliveryNotConfigured } from '../../../services/mail/deliveries.js';
import { AppNotFound, AppsFacade, InvalidRedirectUrl, NoDefaultRedirectUrl } from '../../apps/index.js';
import { InvalidEmail, UserInactive, UserNotFound, UserProfiles } from '../../identity/index.js';
import { SessionArgumentsRequest } from '../../session/index.js';
import { IssueMagicLink } from '../application/issue-magic-link.js';
import { VerifyMagicLink } from '../application/verify-magic-link.js';
import { CreateMagicLinkRequest, CreateMagicLinkResponse } from './create-magic-link.dto.js';
import {
  InviteByMagicLinkRequest,
  LinkRequest,
  LogInByMagicLinkRequest,
  MailedLinkResponse,
} from './send-magic-link.dto.js';
import { LINK_FIELDS, MagicLinkUserResponse, VerifyMagicLinkRequest } from './verify-magic-link.dto.js';

@ApiTags('magic links')
@Controller('v1/auth/magic_links')
export class MagicLinkController {
  constructor(
    private readonly issueLink: IssueMagicLink,
    private readonly verifyLink: VerifyMagicLink,
    readonly profiles: UserProfiles,
  ) {}

  /**
   * Log in or create a user by magic link
   *
   * @remarks Mails a link to the holder of the address. If no user holds it, creates a user. The link leads to the login URL
   * or, for a new user, the registration URL, with a one-time `token` in its query. An earlier link to the address is void.
   */
  @Post('email/login_or_create')
  @HttpCode(200)
  @SafeToRepeat()
  @SecretKey({ scopes: 'login:write', keepsBinding: true })
  @Deprecated({ instead: 'POST /v1/auth/otps/email/login_or_create' })
  @Refuses(InvalidEmail, InvalidRedirectUrl, NoDefaultRedirectUrl, UserInactive, DeliveryNotConfigured)
  async loginOrCreate(
    @App() app: AuthenticatedApp,
    @Body() body: LogInByMagicLinkRequest,
  ): Promise<MailedLinkResponse> {
    const link = LogInByMagicLinkRequest.mailedLink(body, bindingOf(app));
    return MailedLinkResponse.of(await this.issueLink.mail(app.id, link));
  }

  /**
   * Invite a user by magic link
   *
   * @remarks Like logging in or creating a user, with the mail of an invitation and the invite URL.
   */
  @Post('email/invite')
  @HttpCode(200)
  @SafeToRepeat()
  @SecretKey({ scopes: 'login:write', keepsBinding: true })
  @Deprecated({ instead: 'POST /v1/auth/otps/email/login_or_create' })
  @Refuses(InvalidEmail, InvalidRedirectUrl, NoDefaultRedirectUrl, UserInactive, DeliveryNotConfigured)
  async invite(@App() app: AuthenticatedApp, @Body() body: InviteByMagicLinkRequest): Promise<MailedLinkResponse> {
    const link = InviteByMagicLinkRequest.mailedLink(body, bindingOf(app));
    return MailedLinkResponse.of(await this.issueLink.mail(app.id, link));
  }

  /**
   * Create an embeddable magic link
   *
   * @remarks Returns the token instead of mailing it, so that the app delivers it to the user. It therefore verifies no address.
   */
  @Post('create')
  @HttpCode(200)
  @SafeToRepeat()
  @SecretKey({ scopes: 'login:write', keepsBinding: true })
  @Deprecated({ instead: 'POST /v1/auth/otps/email/send' })
  @Refuses(UserNotFound, UserInactive)
  async create(@App() app: AuthenticatedApp, @Body() body: CreateMagicLinkRequest): Promise<CreateMagicLinkResponse> {
    const { user_id, expires_in: minutes } = body;
    return {
      user_id,
      token: await this.issueLink.embedded(app.id, user_id, { minutes, device: LinkRequest.device(body) }),
    };
  }

  /**
   * Verify a magic link
   *
   * @remarks Exchanges the token of a link for the user and, if requested, a session. A mailed link verifies its address.
   */
  @Post('verify')
  @HttpCode(200)
  @SignsIn(LINK_FIELDS)
  @SecretKey({ scopes: 'login:write', keepsBinding: true })
  @Deprecated({ instead: 'POST /v1/auth/otps/verify' })
  @Refuses(VerifyMagicLink)
  async verify(@App() app: AuthenticatedApp, @Body() body: VerifyMagicLinkRequest): Promise<MagicLinkUserResponse> {
    const verified = await this.verifyLink.execute(app.id, body.token, SessionArgumentsRequest.argumentsOf(body, app));
    return MagicLinkUserResponse.of(verified);
  }
}

/** The invitations to an app, for operators. */
@ApiTags('management: users')
@Controller('management/v1/apps/:app_id/users/invite')
export class InvitationController {
  constructor(
    private readonly apps: AppsFacade,
    private readonly issueLink: IssueMagicLink,
  ) {}

  /**
   * Invite a user to an app
   *
   * @remarks Does the same as `POST /v1/auth/magic_links/email/invite`.
   */
  @Post()
  @HttpCode(200)
  @SafeToRepeat()
  @ManagementKey('support')
  @Refuses(InvalidEmail, InvalidRedirectUrl, NoDefaultRedirectUrl, UserInactive, DeliveryNotConfigured)
  async invite(
    @RequestedBy() by: Requester,
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @Body() body: InviteByMagicLinkRequest,
  ): Promise<MailedLinkResponse> {
    await this.apps.requireLive(appId);
    const link = InviteByMagicLinkRequest.mailedLink(body, null);
    const invited = await this.issueLink.mail(appId, link, async ({ user }) => {
      await this.apps.hold(appId);
      await this.apps.audit(by, appId, 'user.invited', user.id);
    });
    return MailedLinkResponse.of(invited);
  }
}
