import { Injectable } from '@nestjs/common';
import { InvalidRequest } from '../../../kernel/errors.js';
import type { AppId, TotpId } from '../../../kernel/ids.js';
import { Vault } from '../../../kernel/vault.js';
import { epochSecondsOf, pastOf, type PortablePart, type PortableReader } from '../../identity/index.js';
import { base32, bytesOfBase32 } from '../../../kernel/base32.js';
import { ENROLMENT_LIFETIME } from '../domain/totp.js';
import { recoveryCodesContext, secretContext, TotpSecrets } from './totp-secrets.js';

export interface ImportedTotp {
  readonly id: string | undefined;
  /** Base32. */
  readonly secret: string;
  readonly isVerified: boolean;
  readonly verifiedAt: Date | null;
  readonly recoveryCodes: readonly string[];
}

/** Bytes. Shorter secrets can be guessed, and no authenticator app makes longer ones. */
const SECRET_BOUNDS = { min: 10, max: 64 };

/** An import has only unused recovery codes. */
@Injectable()
export class PortableTotps implements PortablePart<ImportedTotp> {
  readonly field = 'totps';
  readonly table = 'totps';
  readonly columns = {
    sealedSecret: 'bytea',
    sealedRecoveryCodes: 'bytea',
    usedRecoveryCodes: 'smallint[]',
    verifiedAt: 'timestamptz',
    expiresAt: 'timestamptz',
    tries: 'integer',
    createdAt: 'timestamptz',
    updatedAt: 'timestamptz',
  } as const;
  readonly exported = {
    fields: {
      id: 't.id',
      secret: `encode(t.sealed_secret, 'base64')`,
      verified: 'true',
      verified_at: epochSecondsOf('t.verified_at'),
      recovery_codes: `encode(t.sealed_recovery_codes, 'base64')`,
      used: 't.used_recovery_codes',
    },
    where: 't.verified_at is not null',
    isSecret: true as const,
    shown: (appId: AppId, item: Readonly<Record<string, unknown>>) => this.opened(appId, item),
  };

  constructor(
    private readonly secrets: TotpSecrets,
    private readonly vault: Vault,
  ) {}

  async reader(appId: AppId): Promise<PortableReader<ImportedTotp>> {
    await this.secrets.ready(appId);
    return (totps, context) =>
      totps.map(({ id: stated, secret: text, isVerified, verifiedAt: at, recoveryCodes }, index) => {
        const place = `totps[${index}]`;
        const secret = bytesOfBase32(text);
        if (!secret || secret.length < SECRET_BOUNDS.min || secret.length > SECRET_BOUNDS.max) {
          const message = `must be base32 of ${SECRET_BOUNDS.min} to ${SECRET_BOUNDS.max} bytes`;
          throw new InvalidRequest([{ field: `${place}.secret`, rule: 'format', message }]);
        }
        const id = context.idOf('totp', stated) as TotpId;
        const { createdAt, updatedAt } = context.user;
        const verifiedAt = isVerified ? pastOf(context, `${place}.verified_at`, at) : null;
        const expiresAt = new Date(updatedAt.getTime() + ENROLMENT_LIFETIME.standard * 60_000);
        return {
          id,
          key: null,
          provedAt: verifiedAt,
          place: `${place}.id`,
          values: {
            ...this.secrets.seal({ appId, id }, secret, recoveryCodes),
            usedRecoveryCodes: [],
            verifiedAt,
            expiresAt,
            tries: 0,
            createdAt: verifiedAt ?? createdAt,
            updatedAt,
          },
        };
      });
  }

  private async opened(
    appId: AppId,
    { id, secret, verified, verified_at, recovery_codes, used }: Readonly<Record<string, unknown>>,
  ): Promise<object> {
    const open = async (sealed: unknown, context: readonly [string, ...string[]]): Promise<Buffer> => {
      const bytes = Buffer.from(String(sealed), 'base64');
      await this.vault.ready(appId, bytes);
      return this.vault.open(bytes, context);
    };
    const codes = (await open(recovery_codes, recoveryCodesContext(appId, id as TotpId))).toString();
    const unused = codes.split(' ').filter((code, position) => code !== '' && !(used as number[]).includes(position));
    const plain = base32(await open(secret, secretContext(appId, id as TotpId)));
    return { id, secret: plain, verified, verified_at, recovery_codes: unused };
  }
}
