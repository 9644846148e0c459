import { PartOfUser } from '../../identity/index.js';

/** An enrolment as GET user shows it. */
@PartOfUser('totps')
export class UserTotp {
  /** Begins with `totp_`. */
  readonly id: string;
  /** The owner. */
  readonly user_id: string;
  /** Whether the enrolment was completed. */
  readonly verified: boolean;
  /** Epoch seconds. */
  readonly updated_at: number;
  /** Epoch seconds. */
  readonly created_at: number;
}
