import { type AppId, newId } from '../../../src/kernel/ids.js';
import type { TokenHash } from '../../../src/kernel/secret-tokens.js';
import type { Transactions } from '../../../src/kernel/transactions.js';
import type { Sealed } from '../../../src/kernel/vault.js';
import type { LoginTicket } from '../../../src/modules/oauth/domain/login-ticket.js';
import type { LoginTicketRepository } from '../../../src/modules/oauth/domain/login-ticket.repository.js';

export interface LoginTicketSubject {
  readonly tickets: LoginTicketRepository;
  readonly transactions: Transactions;
  /** Moves the end of all tickets of the app into the past. */
  expireAll(appId: AppId): Promise<void>;
}

export const loginTicket = (changes: Partial<LoginTicket> = {}): LoginTicket => ({
  appId: newId('app'),
  tokenHash: Buffer.from(newId('event')) as Buffer & TokenHash,
  userId: newId('user'),
  connectionId: newId('oauthConnection'),
  provider: 'google',
  subject: 'subject',
  providerIdentityId: newId('providerIdentity'),
  sealedTokens: Buffer.from('sealed') as Sealed,
  codeChallenge: null,
  ...changes,
});

/** What every `LoginTicketRepository` promises. */
export function loginTicketRepositoryContract(subject: () => LoginTicketSubject): void {
  const added = async (changes: Partial<LoginTicket> = {}): Promise<LoginTicket> => {
    const ticket = loginTicket(changes);
    await subject().transactions.run(() => subject().tickets.add(ticket));
    return ticket;
  };
  const consume = (appId: AppId, { tokenHash }: LoginTicket) =>
    subject().transactions.run(() => subject().tickets.consume(appId, tokenHash));

  it('returns the whole ticket to one of eight simultaneous callers', async () => {
    const ticket = await added();
    const consumed = await Promise.all(Array.from({ length: 8 }, () => consume(ticket.appId, ticket)));
    expect(consumed.filter((each) => each !== null)).toEqual([ticket]);
  });

  it("leaves a ticket unspent that another app's key asked for", async () => {
    const ticket = await added();
    expect(await consume(newId('app'), ticket)).toBeNull();
    expect(await consume(ticket.appId, ticket)).toEqual(ticket);
  });

  it('returns no expired ticket', async () => {
    const ticket = await added();
    await subject().expireAll(ticket.appId);
    expect(await consume(ticket.appId, ticket)).toBeNull();
  });

  it('revokes all tickets of a user and of no other user', async () => {
    const ticket = await added();
    const another = await added({ appId: ticket.appId });
    await subject().transactions.run(async () => subject().tickets.revokeAllOf(ticket.appId, ticket.userId));
    expect(await consume(ticket.appId, ticket)).toBeNull();
    expect(await consume(another.appId, another)).toEqual(another);
  });
}
