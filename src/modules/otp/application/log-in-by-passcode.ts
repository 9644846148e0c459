import { Injectable } from '@nestjs/common';
import type { AppId } from '../../../kernel/ids.js';
import { type AddressHolder, IdentityFacade, type UserStatus } from '../../identity/index.js';
import { type PasscodeRequest, IssuePasscode } from './issue-passcode.js';

@Injectable()
export class LogInByPasscode {
  constructor(
    private readonly passcode: IssuePasscode,
    private readonly identity: IdentityFacade,
  ) {}

  /** Sends a passcode to the holder of the address, who may be a new user with this status. Throws `UserInactive` where it is verified. */
  execute(appId: AppId, request: PasscodeRequest, status: UserStatus): Promise<AddressHolder> {
    return this.passcode.execute(appId, request, (address) => this.identity.findOrCreate(appId, address, { status }));
  }
}
