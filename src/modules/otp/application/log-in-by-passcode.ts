import { Injectable } from '@nestjs/common';
import type { AppId } from '../../../kernel/ids.js';
import { type AddressHolder, IdentityFacade, type UserStatus } from '../../identity/index.js';
import { type AskedPasscode, IssuePasscode } from './issue-passcode.js';

@Injectable()
export class LogInByPasscode {
  constructor(
    private readonly passcode: IssuePasscode,
    private readonly identity: IdentityFacade,
  ) {}

  /** Sends a passcode to whoever holds the address, or to a new user of this status who does. Throws `UserInactive`. */
  execute(appId: AppId, asked: AskedPasscode, status: UserStatus): Promise<AddressHolder> {
    return this.passcode.execute(appId, asked, (address, allowed) =>
      this.identity.findOrCreate(appId, address, { status }, allowed),
    );
  }
}
