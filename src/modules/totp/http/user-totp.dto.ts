import { PartOfUser } from '../../identity/index.js';
import { Example } from '../../../edge/openapi/plugin-schemas.js';
import { exampleId } from '../../../kernel/examples.js';

/** An enrolment as GET user shows it. */
@PartOfUser('totps')
export class UserTotp {
  /** Begins with `totp_`. */
  @Example(exampleId('totp'))
  readonly id!: string;
  /** The owner. */
  readonly user_id!: string;
  /** Whether the enrolment was completed. */
  @Example(true)
  readonly verified!: boolean;
  /** The time of the last change in epoch seconds. */
  readonly updated_at!: number;
  /** The time of creation in epoch seconds. */
  readonly created_at!: number;
}
