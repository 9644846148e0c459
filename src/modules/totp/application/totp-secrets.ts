import { Injectable } from '@nestjs/common';
import type { AppId, TotpId } from '../../../kernel/ids.js';
import { type SealContext, type Sealed, Vault } from '../../../kernel/vault.js';
import type { SealedTotp } from '../domain/totp.js';

type Owner = Pick<SealedTotp, 'appId' | 'id'>;

export function secretContext(appId: AppId, id: TotpId): SealContext {
  return ['totp-secret', appId, id];
}

export function recoveryCodesContext(appId: AppId, id: TotpId): SealContext {
  return ['totp-recovery-codes', appId, id];
}

@Injectable()
export class TotpSecrets {
  constructor(private readonly vault: Vault) {}

  /** Call it before a try is counted, and before a transaction. Secret and codes may be under different keys during a move of seals. */
  async ready(appId: AppId, totp?: SealedTotp): Promise<void> {
    await this.vault.ready(appId, totp?.sealedSecret);
    if (totp) await this.vault.ready(appId, totp.sealedRecoveryCodes);
  }

  seal(
    { appId, id }: Owner,
    secret: Buffer,
    recoveryCodes: readonly string[],
  ): { sealedSecret: Sealed; sealedRecoveryCodes: Sealed } {
    return {
      sealedSecret: this.vault.seal(secret, secretContext(appId, id)),
      sealedRecoveryCodes: this.vault.seal(Buffer.from(recoveryCodes.join(' ')), recoveryCodesContext(appId, id)),
    };
  }

  secretOf({ appId, id, sealedSecret }: SealedTotp): Buffer {
    return this.vault.open(sealedSecret, secretContext(appId, id));
  }

  /** The codes have the order of their creation and include the used ones. */
  recoveryCodesOf({ appId, id, sealedRecoveryCodes }: SealedTotp): string[] {
    const text = this.vault.open(sealedRecoveryCodes, recoveryCodesContext(appId, id)).toString();
    return text === '' ? [] : text.split(' ');
  }
}
