import { Injectable } from '@nestjs/common';
import type { AppId, UserId } from '../../../kernel/ids.js';
import { SecretTokens } from '../../../kernel/secret-tokens.js';
import { Transactions } from '../../../kernel/transactions.js';
import { IdentityFacade } from '../../identity/index.js';
import { type Device, MagicLinkRepository } from '../domain/magic-link.js';

@Injectable()
export class CreateMagicLink {
  constructor(
    private readonly identity: IdentityFacade,
    private readonly links: MagicLinkRepository,
    private readonly tokens: SecretTokens,
    private readonly transactions: Transactions,
  ) {}

  /** The token of a link that the app itself delivers to the user. Throws `UserNotFound`, `UserInactive`. */
  async execute(
    appId: AppId,
    userId: UserId,
    { minutes, device }: { minutes: number; device: Device },
  ): Promise<string> {
    const token = this.tokens.mint();
    const tokenHash = this.tokens.hash('magic_link', token);
    await this.transactions.run(async () => {
      await this.identity.holdActive(appId, userId);
      this.links.add({ appId, tokenHash, userId, mailedTo: null, device, minutes });
    });
    return token;
  }
}
