import { ApiError, createClient, NetworkError, ok } from '../../openapi/client/src/index.js';
import { hasExpired, type Session, session, sessionChanged } from './session.js';
import { fill, text } from './text.js';
import { root } from './root.js';

const connection = { baseUrl: location.origin + root, retries: { attempts: 2, totalSeconds: 20 } };

/** The browser adds the cookie. */
export const api = createClient(connection);
api.use({
  async onResponse({ response }) {
    if (response.status !== 401 || (await asksForProof(response))) return;
    if (session.value && !hasExpired.value) sessionChanged('expired');
  },
});

/** Such a 401 does not mean that the session has expired. */
async function asksForProof(response: Response): Promise<boolean> {
  const body = (await response
    .clone()
    .json()
    .catch(() => null)) as { error_type?: string } | null;
  return body?.error_type === 'step_up_required';
}

export const call = ok;

/** No script can read the cookie. False if the browser does not return it, as on a page at another address than BASE_URL. */
export async function signIn(managementKey: string): Promise<boolean> {
  const client = createClient({ ...connection, managementKey });
  await call(client.POST('/management/v1/session'));
  const found = await currentSession();
  if (found) sessionChanged(found);
  return found !== null;
}

export async function signOut(): Promise<void> {
  await call(api.DELETE('/management/v1/session'));
  sessionChanged('signedOut');
}

export async function currentSession(): Promise<Session | null> {
  const { data, error, response } = await api.GET('/management/v1/session');
  if (response.status === 401) return null;
  if (!data) throw new ApiError(error, response);
  return data;
}

/** Null if operators sign in by a management key. */
export async function operatorsProvider(): Promise<string | null> {
  const { issuer } = await call(api.GET('/operators/sign_in'));
  return issuer || null;
}

export function explain(error: unknown): string {
  if (error instanceof NetworkError || error instanceof DOMException) return text.errors.unreachable;
  if (!(error instanceof ApiError)) return error instanceof Error ? error.message : String(error);
  if (error.status === 401 && error.errorType !== 'step_up_required') return text.errors.signedOut;
  if (error.status === 429) return text.errors.tooMany;
  if (error.status === 503) return text.errors.unavailable;
  if (error.status >= 500) return fill(text.errors.internal, { requestId: error.requestId ?? '' });
  return error.message;
}

/** Null if the call waits for no approval. */
export function approvalOf(error: unknown): string | null {
  const id = ApiError.is(error, 'approval_required') ? error.problem?.approval_id : null;
  const [app] = /^\/console\/apps\/[^/]+/.exec(location.pathname.slice(root.length)) ?? [];
  return id && app ? `${root}${app}/approvals/${id}` : null;
}

export function fieldErrors(error: unknown): Readonly<Record<string, string>> {
  if (!(error instanceof ApiError)) return {};
  return Object.fromEntries(error.fields.map(({ field, message }) => [field, message]));
}
