import { root } from '../root.js';

export const firstCall = (key: string): string =>
  `curl ${location.origin}${root}/v1/auth/users/create -H "Authorization: Bearer ${key}" -H "Content-Type: application/json" -d '{"email":"ada@example.com"}'`;
