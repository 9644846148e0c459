import { ApiTags } from '@nestjs/swagger';

interface Tag {
  readonly name: string;
  readonly description: string;
}

/** The order is that in which a new user of the API needs the groups. `OperationGroup` adds further ones. */
const LISTED = [
  { name: 'users', description: 'The users of an app with their email addresses and phone numbers.' },
  {
    name: 'oauth',
    description: 'Login at an identity provider: begin, callback, and the one-time token that the backend verifies.',
  },
  { name: 'one-time passcodes', description: 'Login by a six-digit code in an email or SMS.' },
  { name: 'totps', description: 'Codes of an authenticator app as a further factor, with recovery codes.' },
  { name: 'wallet login', description: 'Login by the signature of a wallet that the user already has.' },
  {
    name: 'magic links',
    description: 'Login by a link in an email. Deprecated: one-time passcodes and passkeys replace it.',
  },
  { name: 'sessions', description: 'Live sessions of users, and the public keys that verify their JWTs offline.' },
  { name: 'wallets', description: 'Wallets whose keys the service holds: balances, signatures, import and export.' },
  { name: 'events', description: 'The ordered feed of all changes of an app.' },
  { name: 'webhook endpoints', description: 'The URLs of an app that receive its events by POST.' },
  { name: 'policies', description: 'The rules by which the wallets of an app sign.' },
  { name: 'approvals', description: 'Requests that policies put to approvers, and their votes.' },
  { name: 'webhooks', description: 'The requests that the service sends to webhook endpoints.' },
  { name: 'oauth connections', description: 'The credentials of an app at identity providers.' },
  { name: 'management: sign-in', description: 'The session of an operator in a browser, begun with a management key.' },
  { name: 'management: apps', description: 'The apps of the service with their settings.' },
  { name: 'management: keys', description: 'The secret keys and public tokens of an app.' },
  { name: 'management: redirect urls', description: 'The URLs of an app to which logins and invitations may lead.' },
  {
    name: 'management: oauth connections',
    description: 'The credentials of an app at identity providers, and a test of them.',
  },
  { name: 'management: webhook endpoints', description: 'The URLs of an app that receive its events by POST.' },
  { name: 'management: policies', description: 'The rules by which the wallets of an app sign, in versions.' },
  { name: 'management: approvals', description: 'Requests that policies put to approvers, and their votes.' },
  {
    name: 'management: users',
    description: 'The users of an app with their addresses, authenticator apps and passkeys.',
  },
  { name: 'management: sessions', description: 'The sessions of the users of an app.' },
  { name: 'management: wallets', description: 'The wallets of an app and their balances.' },
  { name: 'management: transfers', description: 'The transfers of an app.' },
  { name: 'management: messages', description: 'The mails and SMS of an app, and a preview of their templates.' },
  { name: 'management: jobs', description: 'The background work for an app that is not done.' },
  { name: 'management: events', description: 'The events about a user, and counts over time.' },
  { name: 'management: audit log', description: 'The changes by operators, and the refused calls.' },
  { name: 'operations', description: 'Health, version and metrics of a replica.' },
] as const satisfies readonly Tag[];

const added: (Tag & { readonly after: string })[] = [];

/** The controller's operations join the group; others join by `@ApiTags(name)`. Groups after the same one are sorted by name. */
export function OperationGroup(group: Tag & { readonly after: (typeof LISTED)[number]['name'] }): ClassDecorator {
  if (declaredTags().some(({ name }) => name === group.name))
    throw new Error(`The group ${group.name} of operations is declared already.`);
  added.push(group);
  return ApiTags(group.name);
}

export function declaredTags(): readonly Tag[] {
  return LISTED.flatMap((tag) => [
    tag,
    ...added
      .filter(({ after }) => after === tag.name)
      .toSorted((one, other) => (one.name < other.name ? -1 : 1))
      .map(({ name, description }) => ({ name, description })),
  ]);
}

/** Swagger UI would show an undeclared tag in a group without a description. */
export function requireDeclaredTags(operationId: string, tags: readonly string[] = []): void {
  const declared = new Set(declaredTags().map(({ name }) => name));
  if (tags.length === 0 || !tags.every((tag) => declared.has(tag)))
    throw new Error(`The tags of ${operationId} are not declared: ${tags.join(', ')}`);
}
