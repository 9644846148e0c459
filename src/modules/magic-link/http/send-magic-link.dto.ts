import type { KeyBinding } from '../../../kernel/key-restriction.js';
import { ApiSchema } from '@nestjs/swagger';
import { EnumValues, Example } from '../../../edge/openapi/plugin-schemas.js';
import { epochSeconds } from '../../../kernel/clock.js';
import { Nested } from '../../../edge/http/compound-fields.js';
import { EmailAddress, Flag, MAX_LENGTH, MinutesWithin, Text } from '../../../edge/http/fields.js';
import type { AddressHolder, UserStatus } from '../../identity/index.js';
import { DeviceFingerprintRequest } from '../../session/index.js';
import { INVITE_MAIL, LINK_MAIL } from '../application/link-mails.js';
import type { MailedLink } from '../application/issue-magic-link.js';
import { type Device, LINK_LIFETIME } from '../domain/magic-link.js';
import { EXAMPLES } from '../../../kernel/examples.js';

/** The fields of every new link. */
export class LinkRequest {
  /** The device that the link is for. Each field given here must have the same value when the link is verified. */
  @Nested(() => DeviceFingerprintRequest, { optional: true })
  readonly device_fingerprint?: DeviceFingerprintRequest;

  static device({ device_fingerprint: { ip, user_agent: userAgent } = {} }: LinkRequest): Device {
    return { ip, userAgent };
  }
}

class MailedLinkRequest extends LinkRequest {
  @EmailAddress({ example: EXAMPLES.email })
  readonly email!: string;

  /** Leaves a new user pending until the link is verified. */
  @Flag()
  readonly requires_verification: boolean = false;

  static status({ requires_verification }: MailedLinkRequest): UserStatus {
    return requires_verification ? 'pending' : 'active';
  }
}

export class LogInByMagicLinkRequest extends MailedLinkRequest {
  /** Lifetime of the link in minutes. */
  @MinutesWithin(LINK_LIFETIME)
  readonly expires_in: number = LINK_LIFETIME.standard;

  /** Replaces `expires_in` for an existing user. */
  @MinutesWithin(LINK_LIFETIME, { optional: true })
  readonly login_expires_in?: number;

  /** Replaces `expires_in` for a new user. */
  @MinutesWithin(LINK_LIFETIME, { optional: true })
  readonly registration_expires_in?: number;

  /** The target of the link for an existing user; must be registered. Default: the app's default login URL. */
  @Text({ max: MAX_LENGTH.url, optional: true })
  readonly login_redirect_url?: string;

  /** The target of the link for a new user; must be registered. Default: the app's default registration URL. */
  @Text({ max: MAX_LENGTH.url, optional: true })
  readonly registration_redirect_url?: string;

  static mailedLink(request: LogInByMagicLinkRequest, binding: KeyBinding | null): MailedLink {
    return {
      mail: LINK_MAIL,
      email: request.email,
      newUser: { status: MailedLinkRequest.status(request) },
      device: LinkRequest.device(request),
      forExistingUser: {
        kind: 'login',
        url: request.login_redirect_url,
        minutes: request.login_expires_in ?? request.expires_in,
      },
      forNewUser: {
        kind: 'registration',
        url: request.registration_redirect_url,
        minutes: request.registration_expires_in ?? request.expires_in,
      },
      binding,
    };
  }
}

export class InviteByMagicLinkRequest extends MailedLinkRequest {
  /** The first name of a new user. An existing user keeps their name. */
  @Text({ max: MAX_LENGTH.name, optional: true })
  readonly first_name?: string;

  @Text({ max: MAX_LENGTH.name, optional: true })
  readonly middle_name?: string;

  @Text({ max: MAX_LENGTH.name, optional: true })
  readonly last_name?: string;

  /** The target of the link; must be registered. Default: the app's default invite URL. */
  @Text({ max: MAX_LENGTH.url, optional: true })
  readonly invite_redirect_url?: string;

  /** Lifetime of the link in minutes. */
  @MinutesWithin(LINK_LIFETIME)
  readonly invite_expires_in: number = LINK_LIFETIME.standard;

  static mailedLink(request: InviteByMagicLinkRequest, binding: KeyBinding | null): MailedLink {
    const { invite_redirect_url: url, invite_expires_in: minutes } = request;
    const destination = { kind: 'invite', url, minutes } as const;
    return {
      mail: INVITE_MAIL,
      email: request.email,
      newUser: {
        firstName: request.first_name,
        middleName: request.middle_name,
        lastName: request.last_name,
        status: MailedLinkRequest.status(request),
      },
      device: LinkRequest.device(request),
      forExistingUser: destination,
      forNewUser: destination,
      binding,
    };
  }
}

@ApiSchema({ description: 'The user to whom the link is mailed.' })
export class MailedLinkResponse {
  readonly user_id!: string;
  /** The status of the user: `pending` or `active`. */
  @EnumValues(['pending', 'active'])
  @Example('active')
  readonly status!: string;
  /** Whether this call created the user, because no user held the address. */
  readonly user_created!: boolean;
  readonly email_id!: string;
  /** The time of the last change in epoch seconds. */
  readonly updated_at!: number;
  /** The time of creation in epoch seconds. */
  readonly created_at!: number;

  static of({ user, contact, userCreated }: AddressHolder): MailedLinkResponse {
    return {
      user_id: user.id,
      status: user.status,
      user_created: userCreated,
      email_id: contact.id,
      updated_at: epochSeconds(user.updatedAt),
      created_at: epochSeconds(user.createdAt),
    };
  }
}
