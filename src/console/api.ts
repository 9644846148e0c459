import { ApiError, createClient, ok } from '../../openapi/client/src/index.js';
import { type Session, session, sessionChanged } from './session.js';
import { fill, text } from './text.js';

const connection = { baseUrl: location.origin, retries: { attempts: 2, totalSeconds: 20 } };

/** The management API. The browser adds the cookie. */
export const api = createClient(connection);
api.use({
  onResponse({ response }) {
    if (response.status === 401 && session.value) sessionChanged(null, text.signIn.expired);
  },
});

/** The data of a call; throws `ApiError`. */
export const call = ok;

/** Exchanges the key for a cookie that no script can read. The key is not kept. */
export async function signIn(managementKey: string): Promise<void> {
  const client = createClient({ ...connection, managementKey });
  sessionChanged(await call(client.POST('/management/v1/session')));
}

export async function signOut(): Promise<void> {
  await call(api.DELETE('/management/v1/session'));
  sessionChanged(null, text.signIn.signedOut);
}

/** Who is signed in; null if the cookie is missing or has expired. */
export async function currentSession(): Promise<Session | null> {
  const { data, error, response } = await api.GET('/management/v1/session');
  if (response.status === 401) return null;
  if (!data) throw new ApiError(error, response);
  return data;
}

/** What went wrong, in words for an operator. */
export function explain(error: unknown): string {
  if (!(error instanceof ApiError)) {
    return error instanceof TypeError || error instanceof DOMException ? text.errors.unreachable : String(error);
  }
  if (error.status === 401) return text.errors.signedOut;
  if (error.status === 429) return text.errors.tooMany;
  if (error.status === 503) return text.errors.unavailable;
  if (error.status >= 500) return fill(text.errors.internal, { requestId: error.requestId ?? '' });
  return error.message;
}

/** The refused fields of an error with their messages. */
export function fieldErrors(error: unknown): Readonly<Record<string, string>> {
  if (!(error instanceof ApiError)) return {};
  return Object.fromEntries(error.fields.map(({ field, message }) => [field, message]));
}
