import { type AppId, newId, type OauthConnectionId } from '../../../src/kernel/ids.js';
import type { TokenHash } from '../../../src/kernel/secret-tokens.js';
import type { Transactions } from '../../../src/kernel/transactions.js';
import type { Sealed } from '../../../src/kernel/vault.js';
import type { LoginTicket, OauthLoginRepository, OauthState } from '../../../src/modules/oauth/domain/login-ticket.js';

export interface OauthLoginSubject {
  readonly logins: OauthLoginRepository;
  readonly transactions: Transactions;
  /** Moves the end of all states and tickets of the app into the past. */
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
  isBrowserBound: false,
  ...changes,
});

const oauthState = (changes: Partial<OauthState> = {}): OauthState => ({
  appId: newId('app'),
  stateHash: Buffer.from(newId('event')) as Buffer & TokenHash,
  connectionId: newId('oauthConnection'),
  loginUrl: 'https://app.example/login',
  registrationUrl: 'https://app.example/register',
  sealedVerifier: Buffer.from('sealed') as Sealed,
  nonce: 'nonce',
  browserHash: null,
  codeChallenge: null,
  ...changes,
});

/** What every `OauthLoginRepository` promises. */
export function oauthLoginRepositoryTests(subject: () => OauthLoginSubject): void {
  const begun = async (): Promise<OauthState> => {
    const state = oauthState();
    await subject().transactions.run(() => subject().logins.addState(state));
    return state;
  };
  const consumeState = (appId: AppId, connectionId: OauthConnectionId, { stateHash }: OauthState) =>
    subject().transactions.run(() => subject().logins.consumeState(appId, connectionId, stateHash));

  it('returns a state to each of eight simultaneous callers, and as fresh to one', async () => {
    const state = await begun();
    const { appId, connectionId } = state;
    const returned = await Promise.all(Array.from({ length: 8 }, () => consumeState(appId, connectionId, state)));
    expect(returned.filter((each) => each?.isFresh)).toEqual([{ ...state, isFresh: true }]);
    expect(returned.filter((each) => each?.isFresh === false)).toHaveLength(7);
  });

  it('leaves a state unspent that another app or another connection asked for', async () => {
    const state = await begun();
    const { appId, connectionId } = state;
    expect(await consumeState(newId('app'), connectionId, state)).toBeNull();
    expect(await consumeState(appId, newId('oauthConnection'), state)).toBeNull();
    expect(await consumeState(appId, connectionId, state)).toMatchObject({ isFresh: true });
  });

  it('returns an expired state as not fresh', async () => {
    const state = await begun();
    await subject().expireAll(state.appId);
    expect(await consumeState(state.appId, state.connectionId, state)).toEqual({ ...state, isFresh: false });
  });

  const added = async (changes: Partial<LoginTicket> = {}, minutes = 10): Promise<LoginTicket> => {
    const ticket = loginTicket(changes);
    await subject().transactions.run(() => subject().logins.addTicket(ticket, minutes));
    return ticket;
  };
  const consumeTicket = (appId: AppId, { tokenHash }: LoginTicket) =>
    subject().transactions.run(() => subject().logins.consumeTicket(appId, tokenHash));

  it('returns the whole ticket to one of eight simultaneous callers', async () => {
    const ticket = await added();
    const consumed = await Promise.all(Array.from({ length: 8 }, () => consumeTicket(ticket.appId, ticket)));
    expect(consumed.filter((each) => each !== null)).toEqual([ticket]);
  });

  it("leaves a ticket unspent that another app's key asked for", async () => {
    const ticket = await added();
    expect(await consumeTicket(newId('app'), ticket)).toBeNull();
    expect(await consumeTicket(ticket.appId, ticket)).toEqual(ticket);
  });

  it('returns no expired ticket', async () => {
    const ticket = await added();
    await subject().expireAll(ticket.appId);
    expect(await consumeTicket(ticket.appId, ticket)).toBeNull();
    const expired = await added({}, 0);
    expect(await consumeTicket(expired.appId, expired)).toBeNull();
  });

  it('revokes all tickets of a user and of no other user', async () => {
    const ticket = await added();
    const another = await added({ appId: ticket.appId });
    await subject().transactions.run(async () => subject().logins.revokeTicketsOf(ticket.appId, ticket.userId));
    expect(await consumeTicket(ticket.appId, ticket)).toBeNull();
    expect(await consumeTicket(another.appId, another)).toEqual(another);
  });
}
