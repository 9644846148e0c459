import { Injectable } from '@nestjs/common';
import { InvalidRequest } from '../../../kernel/errors.js';
import type { AppId } from '../../../kernel/ids.js';
import { AppsFacade } from '../../apps/index.js';
import { epochSecondsOf, pastOf, type PortablePart, type PortableReader } from '../../identity/index.js';
import { Authenticators, MAX_BYTES, transportsIn } from '../domain/authenticators.js';
import { userHandleOf } from '../domain/passkey.js';
import { PASSKEY_SETTINGS, type PasskeySettings } from '../domain/passkey-settings.js';

export interface ImportedPasskey {
  readonly id: string | undefined;
  /** Base64url, as the next two. */
  readonly credentialId: string;
  readonly publicKey: string;
  readonly userHandle: string | undefined;
  readonly signCount: number;
  readonly transports: readonly string[];
  readonly rpId: string;
  readonly name: string;
  /** Null if the source does not say. */
  readonly isBackupEligible: boolean | null;
  readonly isBackedUp: boolean;
  readonly createdAt: Date | null;
  readonly lastUsedAt: Date | null;
}

const BASE64URL = (column: string): string =>
  `translate(replace(encode(${column}, 'base64'), chr(10), ''), '+/=', '-_')`;

/** Those of another domain than that of the app would sign no user in. */
@Injectable()
export class PortablePasskeys implements PortablePart<ImportedPasskey> {
  readonly field = 'webauthn_credentials';
  readonly table = 'webauthn_credentials';
  readonly columns = {
    credentialId: 'bytea',
    publicKey: 'bytea',
    rpId: 'text',
    name: 'text',
    transports: 'text[]',
    signCount: 'bigint',
    isBackupEligible: 'boolean',
    isBackedUp: 'boolean',
    isBackupUnknown: 'boolean',
    userHandle: 'text',
    lastUsedAt: 'timestamptz',
    createdAt: 'timestamptz',
  } as const;
  readonly key = {
    sql: `encode(t.credential_id, 'hex')`,
    isAmong: `t.credential_id in (select decode(k, 'hex') from unnest($2::text[]) as k)`,
  };
  readonly exported = {
    fields: {
      id: 't.id',
      credential_id: BASE64URL('t.credential_id'),
      public_key: BASE64URL('t.public_key'),
      counter: 't.sign_count',
      transports: 't.transports',
      rp_id: 't.rp_id',
      user_handle: `coalesce(t.user_handle, ${BASE64URL(`convert_to(t.user_id, 'UTF8')`)})`,
      name: 't.name',
      backup_eligible: 'case when t.is_backup_unknown is not true then t.is_backup_eligible end',
      backed_up: 't.is_backed_up',
      created_at: epochSecondsOf('t.created_at'),
      last_used_at: epochSecondsOf('t.last_used_at'),
    },
  };

  constructor(
    private readonly apps: AppsFacade,
    private readonly authenticators: Authenticators,
  ) {}

  async reader(appId: AppId): Promise<PortableReader<ImportedPasskey>> {
    const settings = await this.apps.moduleSettings<PasskeySettings>(appId, PASSKEY_SETTINGS);
    return (passkeys, context) =>
      passkeys.map((passkey, index) => {
        const place = `${this.field}[${index}]`;
        const refused = (member: string, rule: string, message: string): InvalidRequest =>
          new InvalidRequest([{ field: `${place}.${member}`, rule, message }]);
        if (passkey.rpId !== settings?.rpId)
          throw refused(
            'rp_id',
            'rp_id',
            settings ? 'must be the rp_id of the app' : 'needs the webauthn settings of the app',
          );
        const bytes = (member: string, text: string, most: number): Buffer => {
          const read = Buffer.from(text, 'base64url');
          if (read.length === 0 || read.length > most || read.toString('base64url') !== text)
            throw refused(member, 'format', `must be base64url of at most ${most} bytes`);
          return read;
        };
        const credentialId = bytes('credential_id', passkey.credentialId, MAX_BYTES.id);
        const publicKey = bytes('public_key', passkey.publicKey, MAX_BYTES.attestation);
        if (!this.authenticators.accepts(publicKey))
          throw refused('public_key', 'key', 'must be a COSE key of ES256, EdDSA or RS256');
        const handle = passkey.userHandle ?? userHandleOf(context.user.id);
        bytes('user_handle', handle, MAX_BYTES.userHandle);
        const createdAt = pastOf(context, `${place}.created_at`, passkey.createdAt);
        const lastUsedAt = passkey.lastUsedAt && pastOf(context, `${place}.last_used_at`, passkey.lastUsedAt);
        return {
          id: context.idOf('passkey', passkey.id),
          key: credentialId.toString('hex'),
          provedAt: createdAt,
          place: `${place}.credential_id`,
          values: {
            credentialId,
            publicKey,
            rpId: passkey.rpId,
            name: passkey.name,
            transports: transportsIn(passkey.transports),
            signCount: passkey.signCount,
            isBackupEligible: passkey.isBackupEligible ?? false,
            isBackedUp: passkey.isBackedUp,
            isBackupUnknown: passkey.isBackupEligible === null ? true : null,
            userHandle: handle === userHandleOf(context.user.id) ? null : handle,
            lastUsedAt,
            createdAt,
          },
        };
      });
  }
}
