import { Injectable } from '@nestjs/common';
import type { AppId, UserId } from '../../../kernel/ids.js';
import { UserNotFound } from '../domain/identity.errors.js';
import { type UserProfile, UserProfiles } from '../domain/user-profiles.js';

@Injectable()
export class GetUser {
  constructor(private readonly profiles: UserProfiles) {}

  async execute(appId: AppId, userId: UserId): Promise<UserProfile> {
    const profile = await this.profiles.find(appId, userId);
    if (!profile) throw new UserNotFound();
    return profile;
  }
}
