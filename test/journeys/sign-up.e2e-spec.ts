import { codeIn } from '../support/inbox.js';
import { LOGIN_URL, newEmail, newPhone, type Shop, Town, WELCOME_URL } from './shop.js';

let town: Town;
let shop: Shop;
beforeAll(async () => {
  town = await Town.start();
  shop = await town.shop();
});
afterAll(() => town?.stop());

const ANN = { first_name: 'Ann', last_name: 'Lee' } as const;

describe('a sign-up form with a name', () => {
  it('makes the user whom the passcode then signs in, with the name', async () => {
    const email = newEmail();
    const form = await shop.create({ email, ...ANN });
    const { user_id } = await shop.signIn(email);
    expect(user_id).toBe(form.user_id);
    const user = await shop.user(user_id);
    expect(user).toMatchObject(ANN);
    expect(user.emails).toMatchObject([{ email, verified: true }]);
  });

  it('gives its wallet to the person who proves the address', async () => {
    const wallets = await town.shop({ default_wallet_type: 'ethereum' });
    const email = newEmail();
    const form = await wallets.create({ email, ...ANN });
    const [{ public_address }] = (await wallets.user(form.user_id)).wallets;
    const { user_id } = await wallets.signIn(email);
    expect((await wallets.user(user_id)).wallets).toMatchObject([{ public_address }]);
  });

  it('makes the user whom a link then signs in, with the name', async () => {
    const email = newEmail();
    const form = await shop.create({ email, ...ANN });
    const { token } = await shop.linkBy(email, '/v1/auth/magic_links/email/login_or_create');
    const user = await shop.follow(token);
    expect([user.user_id, user.first_name]).toEqual([form.user_id, 'Ann']);
  });

  it('makes the user whom an SMS then signs in, with the name', async () => {
    const phone_number = newPhone();
    const form = await shop.create({ phone_number, ...ANN });
    const { user_id } = await shop.signIn(phone_number);
    expect([user_id, (await shop.user(user_id)).last_name]).toEqual([form.user_id, 'Lee']);
  });

  it('lets the person prove email and phone number with the two codes that were sent together', async () => {
    const [email, phone_number] = [newEmail(), newPhone()];
    const form = await shop.create({ email, phone_number, ...ANN });
    const [byMail, bySms] = [await shop.codeFor(email), await shop.codeFor(phone_number)];
    const { session_token, user_id } = await shop.enter(byMail);
    const second = await shop.enter(bySms, { session_token });
    expect([user_id, second.user_id]).toEqual([form.user_id, form.user_id]);
    const { emails, phone_numbers } = await shop.user(user_id);
    expect([...emails, ...phone_numbers].map(({ verified }) => verified)).toEqual([true, true]);
  });

  it('may ask for the name in a second step, before the code is typed', async () => {
    const email = newEmail();
    const code = await shop.codeFor(email);
    await shop.update(code.user_id, ANN);
    const { user_id } = await shop.enter(code);
    expect([user_id, (await shop.user(user_id)).first_name]).toEqual([code.user_id, 'Ann']);
  });

  it('may ask for the name after the code was typed, and the next login finds it', async () => {
    const email = newEmail();
    const { user_id } = await shop.signIn(email);
    await shop.update(user_id, ANN);
    const again = await shop.codeFor(email);
    expect([again.user_id, again.user_created]).toEqual([user_id, false]);
    expect(await shop.user((await shop.enter(again)).user_id)).toMatchObject(ANN);
  });

  it('keeps the id by which the app knows the person, and what it noted about them', async () => {
    const [email, external_id] = [newEmail(), `crm-${newEmail()}`];
    const metadata = { plan: 'gold', seats: 3 };
    const form = await shop.create({ email, external_id, metadata, ...ANN });
    const { user_id } = await shop.signIn(email);
    expect(user_id).toBe(form.user_id);
    expect(await shop.user(user_id)).toMatchObject({ external_id, metadata });
    expect(await shop.find('external_id', external_id)).toEqual([user_id]);
  });

  it('leaves the user pending until the address is proved, if the app asks for that', async () => {
    const email = newEmail();
    const form = await shop.create({ email, requires_verification: true, ...ANN });
    expect(form.status).toBe('pending');
    const { user_id } = await shop.signIn(email);
    expect(user_id).toBe(form.user_id);
    expect((await shop.user(user_id)).status).toBe('active');
  });
});

describe('an invitation', () => {
  it('with a name makes the user who follows the link, with the name', async () => {
    const email = newEmail();
    const { token, answer } = await shop.linkBy(email, '/v1/auth/magic_links/email/invite', ANN);
    const user = await shop.follow(token);
    expect([user.user_id, user.first_name, user.last_name]).toEqual([answer.user_id, 'Ann', 'Lee']);
  });

  it('that was not followed does not keep the person from signing up by code', async () => {
    const email = newEmail();
    const { answer } = await shop.linkBy(email, '/v1/auth/magic_links/email/invite', ANN);
    const { user_id } = await shop.signIn(email);
    expect([user_id, (await shop.user(user_id)).first_name]).toEqual([answer.user_id, 'Ann']);
  });

  it('that is sent twice works by the newer mail', async () => {
    const email = newEmail();
    const [first, second] = [
      await shop.linkBy(email, '/v1/auth/magic_links/email/invite'),
      await shop.linkBy(email, '/v1/auth/magic_links/email/invite'),
    ];
    expect(await shop.refusal('POST', '/v1/auth/magic_links/verify', { token: first.token })).toBe(
      '400 invalid_magic_token',
    );
    expect((await shop.follow(second.token)).user_id).toBe(first.answer.user_id);
  });
});

describe('a first login', () => {
  it('by link leads a new person to the welcome page, and a known one to the login page', async () => {
    const email = newEmail();
    const path = '/v1/auth/magic_links/email/login_or_create';
    const first = await shop.linkBy(email, path);
    expect(first.message).toContain(`${WELCOME_URL}?token=`);
    await shop.follow(first.token);
    expect((await shop.linkBy(email, path)).message).toContain(`${LOGIN_URL}?token=`);
  });

  it('accepts a code as it was copied from the mail', async () => {
    const code = await shop.codeFor(newEmail());
    const otp = ` ${code.otp.slice(0, 3)}\u00a0${code.otp.slice(3)}\r\n`;
    expect((await shop.enter({ ...code, otp })).user_id).toBe(code.user_id);
  });

  it('goes on after a mistyped code, with the same code', async () => {
    const code = await shop.codeFor(newEmail());
    const wrong = { ...code, otp: code.otp.replace(/./, (digit) => String((Number(digit) + 1) % 10)) };
    expect(await shop.refusal(...shop.typed(wrong))).toBe('400 invalid_otp');
    expect((await shop.enter(code)).user_id).toBe(code.user_id);
  });

  it('goes on with a second code, when the person asks for one because the first mail is late', async () => {
    const email = newEmail();
    const first = await shop.codeFor(email);
    const second = await shop.codeFor(email);
    if (first.otp !== second.otp) expect(await shop.refusal(...shop.typed(first))).toBe('400 invalid_otp');
    expect((await shop.enter(second)).user_id).toBe(first.user_id);
  });

  it('that is submitted twice by a double click makes one user', async () => {
    const email = newEmail();
    const [one, other] = await Promise.all([
      shop.ok('POST', '/v1/auth/otps/email/login_or_create', { email }),
      shop.ok('POST', '/v1/auth/otps/email/login_or_create', { email }),
    ]);
    expect(one.user_id).toBe(other.user_id);
    const mails = await town.inbox.untilThereAre(2, email);
    const codes = [...new Set(mails.map(codeIn))];
    const answers = await Promise.all(
      codes.map((otp) => shop.refusal(...shop.typed({ method_id: one.email_id, otp }))),
    );
    expect(answers).toContain('200');
  });

  it('finds the person however the address is written', async () => {
    const email = newEmail();
    const { user_id } = await shop.signIn(email);
    const again = await shop.ok('POST', '/v1/auth/otps/email/send', { email: ` ${email.toUpperCase()} ` });
    expect(again.user_id).toBe(user_id);
  });

  it('after a mistyped address goes on with the right one, which then is the only one', async () => {
    const [mistyped, email] = [newEmail(), newEmail()];
    const form = await shop.create({ email: mistyped, ...ANN });
    await shop.update(form.user_id, { emails: [{ email }] });
    await shop.ok('DELETE', `/v1/auth/users/emails/${form.email_id}/delete`);
    expect((await shop.user(form.user_id)).emails).toMatchObject([{ email }]);
    const { user_id } = await shop.signIn(email);
    expect([user_id, (await shop.user(user_id)).first_name]).toEqual([form.user_id, 'Ann']);
  });

  it('repeated by a backend that lost the answer makes no second user', async () => {
    const headers = { 'Idempotency-Key': newEmail() };
    const form = { email: newEmail(), ...ANN };
    const [one, other] = [
      await shop.ok('POST', '/v1/auth/users/create', form, headers),
      await shop.ok('POST', '/v1/auth/users/create', form, headers),
    ];
    expect(other.user_id).toBe(one.user_id);
    expect(await shop.refusal('POST', '/v1/auth/users/create', form)).toBe('409 duplicate_email');
  });
});
