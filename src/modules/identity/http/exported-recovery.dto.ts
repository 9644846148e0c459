import { ApiSchema } from '@nestjs/swagger';
import { AtLeastOneOf } from '../../../edge/http/at-least-one-of.js';
import { EmailAddress, PhoneNumber } from '../../../edge/http/fields.js';
import { Example } from '../../../edge/openapi/plugin-schemas.js';
import { epochSeconds } from '../../../kernel/clock.js';
import { InvalidRequest } from '../../../kernel/errors.js';
import { exampleId, EXAMPLES } from '../../../kernel/examples.js';
import { type Address, emailAddress, phoneAddress } from '../domain/address.js';
import type { Recovery } from '../domain/recovery.js';
import { PartOfManagedUser } from './exported-user-part.dto.js';

/** The new address of a user who has lost the only sign-in method: either an email or a phone number. */
@AtLeastOneOf('email', 'phone_number')
export class BeginRecoveryRequest {
  @EmailAddress({ optional: true, example: 'grace.new@example.com' })
  readonly email?: string;

  @PhoneNumber({ optional: true })
  readonly phone_number?: string;

  static address({ email, phone_number }: BeginRecoveryRequest): Address {
    if (email !== undefined && phone_number !== undefined)
      throw new InvalidRequest([
        { field: 'phone_number', rule: 'only_one_of', message: 'must be absent beside email' },
      ]);
    return email === undefined ? phoneAddress(phone_number!) : emailAddress(email);
  }
}

/** The times of a recovery. */
class RecoveryTimes {
  /** The time of its beginning, in epoch seconds. */
  readonly begun_at!: number;
  /** The time from which a proof of the new address opens the account, in epoch seconds. */
  @Example(1_767_398_400)
  readonly ready_at!: number;
  /** The time until which the new address can be proved, in epoch seconds. */
  @Example(1_768_608_000)
  readonly expires_at!: number;
}

@ApiSchema({ description: 'The recovery that is under way. The verified addresses of the user were notified of it.' })
export class RecoveryResponse extends RecoveryTimes {
  readonly user_id!: string;
  /** The new email address; empty if it is a phone number. */
  @Example(EXAMPLES.email)
  readonly email!: string;
  /** The new phone number; empty if it is an email address. */
  @Example('')
  readonly phone_number!: string;

  static of({ userId, kind, text, begunAt, readyAt, expiresAt }: Recovery): RecoveryResponse {
    return {
      user_id: userId,
      email: kind === 'email' ? text : '',
      phone_number: kind === 'phone_number' ? text : '',
      begun_at: epochSeconds(begunAt),
      ready_at: epochSeconds(readyAt),
      expires_at: epochSeconds(expiresAt),
    };
  }
}

/** A recovery that is under way, as an element of the user that operators see: a list of one, or an empty one. */
@PartOfManagedUser('recoveries', 'The recovery of the account that is under way, or none.')
export class RecoveryOfManagedUser extends RecoveryTimes {
  /** The id of the user. */
  @Example(exampleId('user'))
  readonly id!: string;
  /** The new email address; empty if it is a phone number. */
  @Example(EXAMPLES.email)
  readonly email!: string;
  /** The new phone number; empty if it is an email address. */
  @Example('')
  readonly phone_number!: string;
}

@ApiSchema({ description: 'The recovery was cancelled.' })
export class CancelledRecoveryResponse {
  readonly user_id!: string;
  @Example('The recovery was cancelled.')
  readonly message!: string;
}
