import { root } from '../root.js';

/** A command line that creates a user with the key, against this service. */
export const firstCall = (key: string): string =>
  `curl ${location.origin}${root}/v1/auth/users/create -H "Authorization: Bearer ${key}" -H "Content-Type: application/json" -d '{"email":"ada@example.com"}'`;
