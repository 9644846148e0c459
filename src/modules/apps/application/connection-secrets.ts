import { Injectable } from '@nestjs/common';
import type { AppId, OauthConnectionId } from '../../../kernel/ids.js';
import { SealedColumns, Vault } from '../../../kernel/vault.js';
import { assertSigningKey, type OauthConnection, type SealedSecrets } from '../domain/oauth-connection.js';

type Field = 'client_secret' | 'private_key';

/** What identity providers gave us to prove who we are: sealed at rest, each to its own row and column. */
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
        context: (row) => contextOf(row['app_id'] as AppId, row['id'] as OauthConnectionId, field),
      });
    }
  }

  /** Throws `InvalidOauthConnection` when the private key is not one. */
  seal(
    { appId, id }: { appId: AppId; id: OauthConnectionId },
    { clientSecret, privateKey }: { clientSecret?: string; privateKey?: string },
  ): SealedSecrets {
    const seal = (plaintext: string, field: Field) =>
      this.vault.seal(Buffer.from(plaintext), contextOf(appId, id, field));
    if (privateKey !== undefined) assertSigningKey(privateKey);
    return {
      ...(clientSecret !== undefined && { clientSecret: seal(clientSecret, 'client_secret') }),
      ...(privateKey !== undefined && { privateKey: seal(privateKey, 'private_key') }),
    };
  }

  open({ appId, id, ...connection }: OauthConnection): { clientSecret: string | null; privateKey: string | null } {
    const open = (sealed: Uint8Array | null, field: Field) =>
      sealed && this.vault.open(sealed, contextOf(appId, id, field)).toString();
    return {
      clientSecret: open(connection.clientSecret, 'client_secret'),
      privateKey: open(connection.privateKey, 'private_key'),
    };
  }
}

function contextOf(appId: AppId, id: OauthConnectionId, field: Field) {
  return ['oauth-connection', appId, id, field] as const;
}
