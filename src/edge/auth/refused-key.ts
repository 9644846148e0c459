import type { AppAuthenticator } from './app-authenticator.js';
import type { AuthenticatedRequest } from './credential.js';
import { type KeyKind, UnauthorizedCredentials, WrongKeyKind } from './errors.js';

/** The refusal of a key that is not valid for its route: 403 for a valid key of another kind, whose holder is noted, else 401. */
export async function refusalOf(
  request: AuthenticatedRequest,
  key: string | undefined,
  required: KeyKind,
  keys: AppAuthenticator,
): Promise<Error> {
  const holder =
    key === undefined
      ? null
      : ((await keys.bySecretKey(key)) ?? (await keys.byPublicToken(key)) ?? (await keys.byManagementKey(key)));
  if (!holder) return new UnauthorizedCredentials(required);
  request.otherCaller = holder;
  return new WrongKeyKind(required);
}
