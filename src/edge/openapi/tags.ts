/** The groups of operations, in the order in which a new user of the interface needs them. */
export const TAGS = [
  { name: 'users', description: 'The users of an app with their email addresses and phone numbers.' },
  {
    name: 'oauth',
    description: 'Login at an identity provider: begin, callback, and the one-time token that the backend verifies.',
  },
  { name: 'one-time passcodes', description: 'Login by a six-digit code in an email or SMS.' },
  { name: 'totps', description: 'Codes of an authenticator app as a further factor, with recovery codes.' },
  { name: 'webauthn', description: 'Login by passkey.' },
  { name: 'wallet login', description: 'Login by the signature of a wallet that the user already has.' },
  {
    name: 'magic links',
    description: 'Login by a link in an email. Deprecated: one-time passcodes and passkeys replace it.',
  },
  { name: 'sessions', description: 'Live sessions of users, and the public keys that verify their JWTs offline.' },
  { name: 'wallets', description: 'Wallets whose keys the service holds: balances, signatures, import and export.' },
  { name: 'transfers', description: 'Payments from a wallet: create, confirm, follow, cancel.' },
  { name: 'events', description: 'The ordered feed of all changes of an app.' },
  { name: 'webhook endpoints', description: 'The URLs of an app that receive its events by POST.' },
  { name: 'webhooks', description: 'The requests that the service sends to webhook endpoints.' },
  { name: 'oauth connections', description: 'The credentials of an app at identity providers.' },
  {
    name: 'management',
    description:
      'For operators, with a management key: apps, keys, redirect URLs, connections, webhook endpoints, users, audit log.',
  },
  { name: 'operations', description: 'Health, version and metrics of a replica.' },
] as const;

const NAMES: ReadonlySet<string> = new Set(TAGS.map(({ name }) => name));

/** Throws for an operation without a tag of the list: Swagger UI would show it in a group without a description. */
export function requireDeclaredTags(operationId: string, tags: readonly string[] = []): void {
  if (tags.length === 0 || !tags.every((tag) => NAMES.has(tag)))
    throw new Error(`The tags of ${operationId} are not declared: ${tags.join(', ')}`);
}
