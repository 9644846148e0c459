import { eventually } from '../support/eventually.js';
import { type Receiver, startReceiver, verified } from '../modules/webhooks/webhook-receiver.js';
import { newEmail, newPhone, type Shop, Town } from './shop.js';

let town: Town;
let shop: Shop;
let receiver: Receiver;
beforeAll(async () => {
  town = await Town.start();
  shop = await town.shop();
  receiver = await startReceiver();
});
afterAll(async () => {
  await town?.stop();
  await receiver?.stop();
});

const ofUser = (events: readonly { data: { user_id?: string } }[], userId: string) =>
  events.filter(({ data }) => data.user_id === userId);
/** Reads the types of a user's events from the feed, as a backend does, once these types have come. */
const feedOf = (userId: string, ...types: string[]): Promise<string[]> =>
  eventually(async () => {
    const { events } = await shop.ok('GET', `/v1/events?user_id=${userId}&limit=1000`);
    const published = events.map(({ type }: { type: string }) => type);
    expect(published).toEqual(expect.arrayContaining(types));
    return published;
  });

describe('support', () => {
  it('deactivates a person, who is signed out and kept out, and reactivates them', async () => {
    const email = newEmail();
    const { user_id, session_token } = await shop.signIn(email);
    await shop.manage('POST', `/users/${user_id}/deactivate`);
    expect(await shop.isSignedIn(session_token)).toBe(false);
    expect(await shop.refusal('POST', '/v1/auth/otps/email/login_or_create', { email })).toBe('403 user_inactive');
    await shop.manage('POST', `/users/${user_id}/reactivate`);
    expect((await shop.signIn(email)).user_id).toBe(user_id);
    expect(await shop.isSignedIn(session_token)).toBe(false);
    await feedOf(user_id, 'user.deactivated', 'user.reactivated');
  });

  it('finds out who deactivated a person', async () => {
    const { user_id } = await shop.signIn(newEmail());
    await shop.manage('POST', `/users/${user_id}/deactivate`);
    await eventually(async () => {
      const { entries } = await shop.manage('GET', '/audit_log?action=user.deactivated');
      expect(entries).toContainEqual(expect.objectContaining({ target: user_id, outcome: 'ok' }));
    });
  });

  it('unlocks a person who mistyped too often, and the next code works at once', async () => {
    const strict = await town.shop({ limits: { wrong_tries_per_hour: 5 } });
    const email = newEmail();
    const { user_id } = await strict.signIn(email);
    const code = await strict.codeFor(email);
    const wrong = { ...code, otp: code.otp.replace(/./, (digit) => String((Number(digit) + 1) % 10)) };
    for (let n = 0; n < 5; n++) await strict.refusal(...strict.typed(wrong));
    expect(await strict.refusal(...strict.typed(await strict.codeFor(email)))).toBe('429 too_many_requests');
    await strict.manage('POST', `/users/${user_id}/unlock`);
    expect((await strict.signIn(email)).user_id).toBe(user_id);
  });

  it('sees in the events of a person why a login failed', async () => {
    const email = newEmail();
    const code = await shop.codeFor(email);
    const { user_id } = await shop.enter(code);
    await shop.refusal(...shop.typed(code));
    await eventually(async () => {
      const { events } = await shop.manage('GET', `/users/${user_id}/events?types=login.failed`);
      expect(events).toContainEqual(
        expect.objectContaining({ data: expect.objectContaining({ user_id, class: 'invalid_otp', reason: 'spent' }) }),
      );
    });
  });

  it('sends a code again, and the code of the new mail works', async () => {
    const email = newEmail();
    const code = await shop.codeFor(email);
    const { messages } = await shop.manage('GET', '/messages');
    const sent = messages.find(({ recipient }: { recipient: string }) => recipient === email);
    const { message } = await town.inbox.after(email, () => shop.manage('POST', `/messages/${sent.id}/resend`));
    const otp = /\b\d{6}\b/.exec(message)![0];
    expect((await shop.enter({ ...code, otp })).user_id).toBe(code.user_id);
  });

  it('corrects a name and adds an address, which the person then proves', async () => {
    const { user_id, session_token } = await shop.signIn(newEmail());
    const phone_number = newPhone();
    await shop.manage('PATCH', `/users/${user_id}`, { first_name: 'Anne' });
    await shop.manage('POST', `/users/${user_id}/phone_numbers`, { phone_number });
    await shop.enter(await shop.codeFor(phone_number), { session_token });
    const user = await shop.user(user_id);
    expect([user.first_name, user.phone_numbers[0].verified]).toEqual(['Anne', true]);
  });

  it('ends all sessions of a person who lost a bag, who then signs in anew', async () => {
    const email = newEmail();
    const logins = [await shop.signIn(email), await shop.signIn(email)];
    await shop.manage('DELETE', `/users/${logins[0].user_id}/sessions`);
    for (const { session_token } of logins) expect(await shop.isSignedIn(session_token)).toBe(false);
    expect((await shop.signIn(email)).user_id).toBe(logins[0].user_id);
  });
});

describe('a person who leaves', () => {
  it('is signed out, found no more, and comes back as another user', async () => {
    const email = newEmail();
    const { user_id, session_token } = await shop.signIn(email);
    await shop.ok('DELETE', `/v1/auth/users/${user_id}/delete`);
    expect(await shop.isSignedIn(session_token)).toBe(false);
    expect(await shop.refusal('GET', `/v1/auth/users/${user_id}`)).toBe('404 user_not_found');
    expect(await shop.find('email', email)).toEqual([]);
    const back = await shop.codeFor(email);
    expect(back.user_created).toBe(true);
    expect((await shop.enter(back)).user_id).not.toBe(user_id);
    await feedOf(user_id, 'user.deleted');
  });

  it('takes the code with them that was under way', async () => {
    const email = newEmail();
    const { user_id } = await shop.signIn(email);
    const code = await shop.codeFor(email);
    await shop.ok('DELETE', `/v1/auth/users/${user_id}/delete`);
    expect(await shop.refusal(...shop.typed(code))).toBe('400 invalid_otp');
  });

  it('frees the id by which the app knows them', async () => {
    const external_id = newEmail();
    const { user_id } = await shop.create({ email: newEmail(), external_id });
    expect(await shop.refusal('POST', '/v1/auth/users/create', { email: newEmail(), external_id })).toBe(
      '409 duplicate_external_id',
    );
    await shop.ok('DELETE', `/v1/auth/users/${user_id}/delete`);
    const { user_id: next } = await shop.create({ email: newEmail(), external_id });
    expect(await shop.find('external_id', external_id)).toEqual([next]);
  });
});

describe('the same person in two apps', () => {
  it('is two users, whose codes, sessions and ids mean nothing in the other app', async () => {
    const other = await town.shop();
    const email = newEmail();
    const here = await shop.signIn(email);
    const there = await other.codeFor(email);
    expect(there.user_created).toBe(true);
    expect(await shop.refusal(...shop.typed(there))).toBe('400 invalid_otp');
    expect(await other.isSignedIn(here.session_token)).toBe(false);
    expect(await other.refusal('GET', `/v1/auth/users/${here.user_id}`)).toBe('404 user_not_found');
    expect((await other.enter(there)).user_id).toBe(there.user_id);
  });

  it('who is deleted in one of them goes on in the other', async () => {
    const other = await town.shop();
    const email = newEmail();
    const [here, there] = [await shop.signIn(email), await other.signIn(email)];
    await shop.ok('DELETE', `/v1/auth/users/${here.user_id}/delete`);
    expect(await other.isSignedIn(there.session_token)).toBe(true);
    expect((await other.signIn(email)).user_id).toBe(there.user_id);
  });
});

describe('a key of the backend', () => {
  it('is rotated without a pause: the next one works before the former one is revoked', async () => {
    const old = await town.shop();
    const { user_id, session_token } = await old.signIn(newEmail());
    const { id, key } = await old.manage('POST', '/keys', { kind: 'secret', name: 'next' });
    const next = old.with(key);
    for (const backend of [old, next]) expect((await backend.session(session_token)).session.user_id).toBe(user_id);
    const { keys } = await old.manage('GET', '/keys');
    const first = keys.find((each: { id: string; kind: string }) => each.kind === 'secret' && each.id !== id);
    await old.manage('DELETE', `/keys/${first.id}`);
    await eventually(async () => expect(await old.refusal('GET', '/v1/networks')).toBe('401 unauthorized_credentials'));
    expect((await next.session(session_token)).session.user_id).toBe(user_id);
  });

  it('that only reads users is refused everything else, by the name of the scope', async () => {
    const { key } = await shop.manage('POST', '/keys', { kind: 'restricted', name: 'crm', scopes: ['users:read'] });
    const crm = shop.with(key);
    const { user_id } = await shop.signIn(newEmail());
    expect((await crm.user(user_id)).user_id).toBe(user_id);
    const answer = await crm.send('POST', '/v1/auth/otps/email/login_or_create', { email: newEmail() });
    expect([answer.status, answer.body.error_type]).toEqual([403, 'missing_scope']);
    expect(answer.body.detail).toContain('login:write');
  });
});

describe('a receiver of webhooks', () => {
  it('learns of a sign-up in order, each event signed, and reads the same in the feed', async () => {
    const { secret } = await shop.ok('POST', '/v1/webhook_endpoints', { url: receiver.url, ordered: true });
    const { user_id } = await shop.signIn(newEmail());
    const received = await eventually(async () => {
      const events = ofUser(
        receiver.requests.map((request) => verified(request, secret) as never),
        user_id,
      ) as never as { type: string; id: string }[];
      const types = events.map(({ type }) => type);
      expect(types).toEqual(expect.arrayContaining(['user.created', 'session.created']));
      return events;
    });
    expect(received[0]!.type).toBe('user.created');
    const { events } = await shop.ok('GET', `/v1/events?user_id=${user_id}`);
    expect(events.map(({ id }: { id: string }) => id)).toEqual(expect.arrayContaining(received.map(({ id }) => id)));
  });

  it('rotates its secret without losing an event: both secrets verify meanwhile', async () => {
    const another = await town.shop();
    const endpoint = await another.ok('POST', '/v1/webhook_endpoints', { url: receiver.url });
    const { secret } = await another.ok('POST', `/v1/webhook_endpoints/${endpoint.id}/rotate_secret`, {});
    const { user_id } = await another.signIn(newEmail());
    await eventually(async () => {
      const mine = receiver.requests.filter(({ body }) => body.includes(user_id));
      expect(mine.length).toBeGreaterThan(0);
      for (const request of mine)
        for (const each of [endpoint.secret, secret]) expect(verified(request, each)).toHaveProperty('type');
    });
  });

  it('that was stopped catches up by the feed, without a gap', async () => {
    const another = await town.shop();
    const { user_id } = await another.signIn(newEmail());
    const read = async (after: string) =>
      (await another.ok('GET', `/v1/events?limit=1000${after && `&after=${after}`}`)).events as {
        id: string;
        position: number;
        data: { user_id?: string };
      }[];
    const before = await eventually(async () => {
      const events = await read('');
      expect(ofUser(events, user_id).length).toBeGreaterThan(1);
      return events;
    });
    const logins = [await another.signIn(newEmail()), await another.signIn(newEmail())];
    await eventually(async () => {
      const rest = await read(before.at(-1)!.id);
      expect(rest.map(({ position }) => position)).toEqual(rest.map((_, n) => before.at(-1)!.position + 1 + n));
      for (const login of logins) expect(ofUser(rest, login.user_id)).not.toEqual([]);
    });
  });

  it('hears of no revoked credentials when a person signs up', async () => {
    const email = newEmail();
    await shop.create({ email, first_name: 'Ann' });
    const { user_id } = await shop.signIn(email);
    expect(await feedOf(user_id, 'user.created', 'session.created')).not.toContain('user.credentials_revoked');
  });
});
