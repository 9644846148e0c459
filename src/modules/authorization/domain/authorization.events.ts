import { idOf } from '../../../kernel/event-data.js';
import { eventOf } from '../../../kernel/event-types.js';
import type { AppId } from '../../../kernel/ids.js';
import type { Grant } from './grant.js';

const client = { client_id: idOf('oauthClient', 'The OAuth client.') };
const resource = { resource_id: idOf('oauthResource', 'The resource.') };

export class ClientCreated extends eventOf({
  name: 'client.created',
  description: 'An OAuth client of the app was created.',
  data: client,
}) {}

export class ClientUpdated extends eventOf({
  name: 'client.updated',
  description: 'An OAuth client of the app was changed, or got a new secret.',
  data: client,
}) {}

export class ClientDeleted extends eventOf({
  name: 'client.deleted',
  description: 'An OAuth client of the app was deleted, and its tokens with it.',
  data: client,
}) {}

export class ResourceCreated extends eventOf({
  name: 'resource.created',
  description: 'An API that accepts access tokens of the app was registered.',
  data: resource,
}) {}

export class ResourceUpdated extends eventOf({
  name: 'resource.updated',
  description: 'An API that accepts access tokens of the app was changed.',
  data: resource,
}) {}

export class ResourceDeleted extends eventOf({
  name: 'resource.deleted',
  description: 'An API that accepts access tokens of the app was deleted. No more tokens are issued for it.',
  data: resource,
}) {}

const grant = {
  grant_id: idOf('grant', 'The grant.'),
  user_id: idOf('user', 'The user who consented.'),
  ...client,
};

export class GrantCreated extends eventOf({
  name: 'grant.created',
  description: 'A user consented that an OAuth client gets tokens.',
  data: grant,
}) {}

export class GrantRevoked extends eventOf({
  name: 'grant.revoked',
  description: 'A grant was ended before its time, and its tokens with it.',
  data: grant,
}) {
  static of(appId: AppId, { id, userId, clientId }: Pick<Grant, 'id' | 'userId' | 'clientId'>): GrantRevoked {
    return new GrantRevoked(appId, { grant_id: id, user_id: userId, client_id: clientId });
  }
}
