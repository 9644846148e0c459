import { DataSource } from 'typeorm';
import { LowerCaseEmailDomains1763600001900 } from '../../../migrations/1763600001900-lower-case-email-domains.js';
import { startApp, type TestApp } from '../../support/app.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app?.stop());

describe('the domain of an email', () => {
  it('is stored and returned in lower case, with an unchanged local part, also in rows from before the migration', async () => {
    const acme = await app.given.app();
    const database = app.nest.get(DataSource);
    const { user_id } = await app.given.user(acme, { email: 'Ann.Lee@Shop.Example.COM' });
    const answered = async () =>
      (await app.call('GET', `/v1/auth/users/${user_id}`, { key: acme.secretKey })).body.emails[0].email;
    expect(await answered()).toBe('Ann.Lee@shop.example.com');

    await database.query(`update emails set text = 'Ann.Lee@Shop.Example.COM' where user_id = $1`, [user_id]);
    const runner = database.createQueryRunner();
    await new LowerCaseEmailDomains1763600001900().up(runner);
    await runner.release();
    expect(await answered()).toBe('Ann.Lee@shop.example.com');
  });
});
