import type { AppId, EmailId, UserId } from '../../src/kernel/ids.js';
import { newId } from '../../src/kernel/ids.js';
import { Transactions } from '../../src/kernel/transactions.js';
import type { CallerSession } from '../../src/modules/identity/index.js';
import {
  type Factor,
  type SessionArguments,
  SessionFacade,
  SessionFieldsResponse,
} from '../../src/modules/session/index.js';
import type { TestApp } from './app.js';

/** A factor with a unique address: a passcode. */
export function passcode(emailId: EmailId = newId('email')): Factor {
  return { type: 'otp', deliveryChannel: 'email', method: { type: 'email', emailId, email: `${emailId}@example.com` } };
}

/**
 * The session part of every verify call, without its proof. `spend` replaces the proof: it runs in the same
 * transaction, before the factor is added.
 */
export async function signIn(
  { nest }: TestApp,
  app: { readonly id: string },
  user: { readonly user_id: string },
  args: SessionArguments = { minutes: 60 },
  { factor = passcode(), spend = async () => undefined }: { factor?: Factor; spend?: () => Promise<unknown> } = {},
): Promise<SessionFieldsResponse> {
  const sessions = nest.get(SessionFacade);
  const appId = app.id as AppId;
  const intent = await sessions.resolve(appId, args);
  const issued = await nest.get(Transactions).run(async () => {
    await spend();
    return sessions.addFactor(appId, intent, user.user_id as UserId, factor);
  });
  return SessionFieldsResponse.fieldsOf(issued);
}

/** A person who proves something in a fresh session of the user. */
export function signedInAs(userId: string): { readonly session: CallerSession } {
  return { session: { userId: userId as UserId, isFresh: async () => true } };
}

/** A barrier: all pieces of work begin at once. */
export function atOnce<T>(count: number, work: (index: number) => Promise<T>): Promise<PromiseSettledResult<T>[]> {
  return Promise.allSettled(Array.from({ length: count }, (_, index) => work(index)));
}
