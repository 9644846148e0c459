import { bcrypt } from 'hash-wasm';
import { newId, type AppId, type UserId } from '../../../src/kernel/ids.js';
import { PortableParts, PortableUsers, type User } from '../../../src/modules/identity/index.js';
import { MANAGEMENT_KEY, type TestApp } from '../../support/app.js';
import { type GivenApp, unique } from '../../support/given.js';

export const PASSWORD = 'correct horse battery staple';
export const SETTINGS = { password_login_until: 4_000_000_000 };

/** The hash of the password at the lowest cost. */
export const hashOf = (password: string): Promise<string> =>
  bcrypt({ password, salt: Buffer.alloc(16, 7), costFactor: 4, outputType: 'encoded' });

export const passwordOf = async (password = PASSWORD) => ({ algorithm: 'bcrypt', hash: await hashOf(password) });

/** Imports a user with a verified address and the password. */
export async function importedUser(
  service: TestApp,
  app: GivenApp,
  row: object = {},
): Promise<{ readonly email: string; readonly userId: string }> {
  const email = `${unique()}@example.com`;
  const users = [{ emails: [{ email, verified: true }], password: await passwordOf(), ...row }];
  const path = `/management/v1/apps/${app.id}/users/import`;
  const { results } = await service.ok('POST', path, { key: MANAGEMENT_KEY, body: { users } });
  if (results[0].outcome !== 'imported') throw new Error(JSON.stringify(results));
  return { email, userId: results[0].user_id };
}

/** Gives the password to a user who is there already. */
export async function givePassword(service: TestApp, app: GivenApp, userId: string): Promise<void> {
  const part = service.nest.get(PortableParts, { strict: false }).all.find(({ field }) => field === 'password')!;
  const read = await part.reader(app.id as AppId);
  const user = { id: userId, updatedAt: new Date() } as unknown as User;
  const rows = read([await passwordOf()], { user, idOf: newId }).map((row) => ({
    userId: userId as UserId,
    row,
    isProved: true,
  }));
  await service.nest.get(PortableUsers, { strict: false }).addRows(part, app.id as AppId, rows);
}
