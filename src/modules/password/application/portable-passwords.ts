import { Injectable } from '@nestjs/common';
import { type AppId, newId, type UserId } from '../../../kernel/ids.js';
import { Vault } from '../../../kernel/vault.js';
import type { PortablePart, PortableReader } from '../../identity/index.js';
import { hashContext, type PasswordId } from '../domain/imported-password.js';
import { passwordHashOf, type StatedHash } from '../domain/password-hash.js';

/** The hash of the password that an imported user has at the former vendor. */
@Injectable()
export class PortablePasswords implements PortablePart<StatedHash> {
  readonly field = 'password';
  readonly isSingle = true as const;
  readonly table = 'imported_passwords';
  readonly columns = { sealedHash: 'bytea', createdAt: 'timestamptz' } as const;
  readonly exported = {
    fields: { id: 't.id', user: 't.user_id', sealed: `encode(t.sealed_hash, 'base64')` },
    isSecret: true as const,
    shown: async (appId: AppId, { id, user, sealed }: Readonly<Record<string, unknown>>): Promise<object> => {
      const bytes = Buffer.from(String(sealed), 'base64');
      await this.vault.ready(appId, bytes);
      return JSON.parse(
        this.vault.open(bytes, hashContext({ appId, id: id as PasswordId, userId: user as UserId })).toString(),
      ) as object;
    },
  };

  constructor(private readonly vault: Vault) {}

  async reader(appId: AppId): Promise<PortableReader<StatedHash>> {
    await this.vault.ready(appId);
    return (passwords, { user }) =>
      passwords.map((stated) => {
        passwordHashOf(stated);
        const id = newId('password');
        const context = hashContext({ appId, id, userId: user.id });
        const values = {
          sealedHash: this.vault.seal(Buffer.from(JSON.stringify(stated)), context),
          createdAt: user.updatedAt,
        };
        return { id, key: null, provedAt: null, place: this.field, values };
      });
  }
}
