import { InvalidRequest } from '../../../kernel/errors.js';
import type { AppsFacade } from '../../apps/index.js';
import type { PortablePart } from '../domain/portable-users.js';
import { epochSecondsOf } from '../domain/user-profile-parts.js';
import { pastOf } from './past-of.js';

export interface ImportedIdentity {
  readonly id: string | undefined;
  readonly connectionId: string | undefined;
  readonly provider: string | undefined;
  readonly subject: string;
  readonly verifiedAt: Date | null;
}

export function portableIdentities(apps: AppsFacade): PortablePart<ImportedIdentity> {
  return {
    field: 'identities',
    table: 'provider_identities',
    columns: {
      connectionId: 'text',
      provider: 'text',
      subject: 'text',
      provedAt: 'timestamptz',
      createdAt: 'timestamptz',
      updatedAt: 'timestamptz',
    },
    key: {
      sql: `t.connection_id || ' ' || t.subject`,
      isAmong: `(t.connection_id, t.subject) in (
        select split_part(k, ' ', 1), substr(k, strpos(k, ' ') + 1) from unnest($2::text[]) as k)`,
    },
    reader: async (appId) => {
      const connections = await apps.connectionNames(appId);
      const refused = (field: string, message: string): InvalidRequest =>
        new InvalidRequest([{ field, rule: 'exists', message }]);
      return (identities, context) =>
        identities.map(({ id, connectionId, provider, subject, verifiedAt }, index) => {
          const place = `identities[${index}]`;
          if (connectionId === undefined && provider === undefined)
            throw new InvalidRequest([
              { field: `${place}.provider`, rule: 'required', message: 'is required, or connection' },
            ]);
          const [connection, ...further] = connections.filter(
            (each) => each.id === (connectionId ?? each.id) && each.provider === (provider ?? each.provider),
          );
          if (!connection)
            throw refused(
              `${place}.${connectionId === undefined ? 'provider' : 'connection'}`,
              'is none to which the app has a connection',
            );
          if (further.length > 0) throw refused(`${place}.provider`, 'has several connections; name one of them');
          const provedAt = pastOf(context, `${place}.verified_at`, verifiedAt);
          const { updatedAt } = context.user;
          return {
            id: context.idOf('providerIdentity', id),
            key: `${connection.id} ${subject}`,
            provedAt,
            place: `${place}.subject`,
            values: {
              connectionId: connection.id,
              provider: connection.provider,
              subject,
              provedAt,
              createdAt: provedAt,
              updatedAt,
            },
          };
        });
    },
    exported: {
      fields: {
        id: 't.id',
        provider: 't.provider',
        subject: 't.subject',
        verified_at: epochSecondsOf('coalesce(t.proved_at, t.created_at)'),
      },
      where: 'exists (select from known_connections c where c.app_id = $1 and c.connection_id = t.connection_id)',
    },
  };
}
