import { Injectable } from '@nestjs/common';
import type { AppId, OauthConnectionId } from '../../../kernel/ids.js';
import { type ExtendedSealContext, SealedColumns, Vault } from '../../../kernel/vault.js';
import { assertSigningKey, type OauthConnection, type SealedSecrets } from '../domain/oauth-connection.js';

type Field = 'client_secret' | 'private_key';

export type ConnectionOfSecret = Pick<OauthConnection, 'appId' | 'id' | 'provider' | 'issuer'>;

/** Each secret is sealed to its row, column and issuer: an issuer changed in the table would send it elsewhere. */
@Injectable()
export class ConnectionSecrets {
  constructor(
    private readonly vault: Vault,
    sealedColumns: SealedColumns,
  ) {
    for (const field of ['client_secret', 'private_key'] as const) {
      sealedColumns.register({
        table: 'oauth_connections',
        column: field,
        key: ['app_id', 'id'],
        reads: ['provider', 'issuer'],
        isExtended: true,
        context: (row) =>
          contextOf(
            {
              appId: row['app_id'] as AppId,
              id: row['id'] as OauthConnectionId,
              provider: row['provider'] as string,
              issuer: row['issuer'] as string | null,
            },
            field,
          ),
      });
    }
  }

  /** Call it before `seal` or `open` outside a transaction. */
  ready(appId: AppId): Promise<void> {
    return this.vault.ready(appId);
  }

  seal(
    connection: ConnectionOfSecret,
    { clientSecret, privateKey }: { clientSecret?: string; privateKey?: string },
  ): SealedSecrets {
    const seal = (plaintext: string, field: Field) =>
      this.vault.seal(Buffer.from(plaintext), contextOf(connection, field));
    if (privateKey !== undefined) assertSigningKey(privateKey);
    return {
      ...(clientSecret !== undefined && { clientSecret: seal(clientSecret, 'client_secret') }),
      ...(privateKey !== undefined && { privateKey: seal(privateKey, 'private_key') }),
    };
  }

  open(connection: OauthConnection): { clientSecret: string | null; privateKey: string | null } {
    const open = (sealed: Uint8Array | null, field: Field) =>
      sealed && this.vault.open(sealed, contextOf(connection, field)).toString();
    return {
      clientSecret: open(connection.clientSecret, 'client_secret'),
      privateKey: open(connection.privateKey, 'private_key'),
    };
  }
}

function contextOf({ appId, id, provider, issuer }: ConnectionOfSecret, field: Field): ExtendedSealContext {
  const place = ['oauth-connection', appId, id, field] as const;
  return { current: [...place, provider, issuer ?? ''], former: place };
}
