import { type AppId, newId } from '../../../src/kernel/ids.js';
import type { TokenHash } from '../../../src/kernel/secret-tokens.js';
import type { Transactions } from '../../../src/kernel/transactions.js';
import { ApiKey, type ApiKeyRepository } from '../../../src/modules/apps/domain/api-key.js';
import { App, type AppRepository } from '../../../src/modules/apps/domain/app.js';
import { AppNotFound, DuplicateRedirectUrl } from '../../../src/modules/apps/domain/apps.errors.js';
import type { AuditLog } from '../../../src/modules/apps/domain/audit-log.js';
import type { Page, PageRequest } from '../../../src/kernel/paging.js';
import { RedirectUrl, type RedirectUrlRepository } from '../../../src/modules/apps/domain/redirect-url.js';

export interface AppsSubject {
  readonly apps: AppRepository;
  readonly keys: ApiKeyRepository;
  readonly redirectUrls: RedirectUrlRepository;
  readonly auditLog: AuditLog;
  readonly transactions: Transactions;
}

const now = new Date('2026-01-01T12:00:00Z');

/** What every repository of the module apps promises. */
export function appsRepositoriesTests(subject: () => AppsSubject): void {
  let another: App;
  let app: App;
  beforeEach(async () => {
    another = App.create('test', { name: 'Another' }, now);
    app = App.create('test', { name: 'Acme' }, now);
    for (const each of [another, app]) await subject().transactions.run(() => subject().apps.insert(each));
  });

  /** The list holds the three items, newest first, and pages end where `hasMore` says. */
  const expectPages = async (
    list: (page: PageRequest) => Promise<Page<{ readonly id: string }>>,
    expected: readonly string[],
  ): Promise<void> => {
    const page = async (request: PageRequest) => {
      const { items, hasMore } = await list(request);
      return { ids: items.map(({ id }) => id), hasMore };
    };
    const [newest, middle, oldest] = expected;
    expect((await page({ limit: 100 })).ids.slice(0, 3)).toEqual(expected);
    expect(await page({ limit: 2 })).toEqual({ ids: [newest, middle], hasMore: true });
    expect((await page({ limit: 1, startingAfter: middle! })).ids).toEqual([oldest]);
  };

  describe('apps', () => {
    it('an app that is stored is found, changed and locked by its id', async () => {
      const { apps, transactions } = subject();
      expect(await apps.get(app.id)).toEqual(app);
      const renamed = app.change({ name: 'Renamed' }, new Date(now.getTime() + 1_000));
      await transactions.run(async () => {
        expect((await apps.lock(app.id)).name).toBe('Acme');
        await apps.update(renamed);
      });
      expect(await apps.get(app.id)).toEqual(renamed);
      expect(await apps.isEmpty()).toBe(false);
    });

    it('a deleted or unknown app is neither found nor locked nor listed', async () => {
      const { apps, transactions } = subject();
      await transactions.run(() => apps.update(app.delete(now)));
      for (const id of [app.id, newId('app')]) {
        await expect(apps.get(id)).rejects.toThrow(AppNotFound);
        await expect(transactions.run(() => apps.lock(id))).rejects.toThrow(AppNotFound);
      }
      expect((await apps.list({ limit: 1_000 })).items.map(({ id }) => id)).not.toContain(app.id);
    });

    it('apps are listed newest first', async () => {
      const more = ['B', 'C'].map((name) => App.create('test', { name }, now));
      for (const each of more) await subject().apps.insert(each);
      await expectPages((page) => subject().apps.list(page), [more[1]!.id, more[0]!.id, app.id]);
    });

    it('apps are found by a part of their name, in which no character is a wildcard', async () => {
      const { apps } = subject();
      const mark = newId('app');
      const names = [`100 % ${mark}`, `100 \\ ${mark}`, `a_b ${mark}`, `Größe ${mark}`];
      const made = names.map((name) => App.create('test', { name }, now));
      for (const each of made) await apps.insert(each);
      const found = async (name: string) =>
        (await apps.list({ limit: 1_000 }, { name })).items.map((each) => names.indexOf(each.name));
      expect(await found(mark.toUpperCase())).toEqual([3, 2, 1, 0]);
      expect(await found(`% ${mark}`)).toEqual([0]);
      expect(await found(`\\ ${mark}`)).toEqual([1]);
      expect(await found(`_b ${mark}`)).toEqual([2]);
      expect(await found(`_ ${mark}`)).toEqual([]);
      expect(await found(`größe ${mark}`)).toEqual([3]);
      expect((await apps.list({ limit: 1 }, { name: mark })).hasMore).toBe(true);
    });
  });

  describe('keys', () => {
    const newKey = (appId = app.id): ApiKey =>
      ApiKey.create(
        { appId, kind: 'secret', name: 'CI', expiresAt: null },
        Buffer.from(newId('key')) as Buffer & TokenHash,
        now,
      );

    it('keys are listed newest first until they are revoked, once', async () => {
      const { keys } = subject();
      const made = [newKey(), newKey(), newKey(), newKey()];
      await keys.insert(...made, newKey(another.id));
      const [first, second, third, revoked] = made.map(({ id }) => id);
      expect(await keys.revoke(newId('app'), revoked!)).toBe(false);
      expect(await keys.revoke(app.id, revoked!)).toBe(true);
      expect(await keys.revoke(app.id, revoked!)).toBe(false);
      await expectPages((page) => keys.list(app.id, page), [third!, second!, first!]);
      expect((await keys.list(app.id, { limit: 10 })).items[0]).toEqual(made[2]);
    });

    it('keys are listed by their kind, of their app only', async () => {
      const { keys } = subject();
      const ofKind = (kind: 'secret' | 'public', appId = app.id) =>
        ApiKey.create({ appId, kind, name: '', expiresAt: null }, Buffer.from(newId('key')) as Buffer & TokenHash, now);
      const [secret, open] = [ofKind('secret'), ofKind('public')];
      await keys.insert(secret, open, ofKind('public', another.id));
      const listed = async (kind: 'secret' | 'public') =>
        (await keys.list(app.id, { limit: 10 }, { kind })).items.map(({ id }) => id);
      expect([await listed('secret'), await listed('public')]).toEqual([[secret.id], [open.id]]);
    });

    it('keys of an unknown app cannot be listed', async () => {
      await expect(subject().keys.list(newId('app'), { limit: 1 })).rejects.toThrow(AppNotFound);
    });
  });

  describe('redirect URLs', () => {
    const insert = async (path: string, isDefault: boolean, kind: 'login' | 'invite' = 'login', appId = app.id) => {
      const url = `https://shop.example/${path}`;
      const redirectUrl = RedirectUrl.create({ appId, mode: 'test', kind, url, isDefault }, now);
      await subject().transactions.run(async () => {
        await subject().apps.lock(appId);
        await subject().redirectUrls.insert(redirectUrl);
      });
      return redirectUrl;
    };

    it('a new default replaces the default of its kind only', async () => {
      const { redirectUrls } = subject();
      await insert('a', true);
      await insert('invite', true, 'invite');
      expect(await redirectUrls.defaultOf(app.id, 'login')).toBe('https://shop.example/a');
      await insert('b', false);
      expect(await redirectUrls.defaultOf(app.id, 'login')).toBe('https://shop.example/a');
      await insert('c', true);
      expect(await redirectUrls.defaultOf(app.id, 'login')).toBe('https://shop.example/c');
      expect(await redirectUrls.defaultOf(app.id, 'invite')).toBe('https://shop.example/invite');
      expect(await redirectUrls.defaultOf(newId('app'), 'login')).toBeNull();
    });

    it('a URL is registered once per kind, and the failed insert leaves the default in place', async () => {
      const { redirectUrls } = subject();
      await insert('a', false);
      await insert('b', true);
      await expect(insert('a', true)).rejects.toThrow(DuplicateRedirectUrl);
      expect(await redirectUrls.defaultOf(app.id, 'login')).toBe('https://shop.example/b');
      await insert('a', false, 'invite');
    });

    it('a URL is registered for its app and kind until it is deleted', async () => {
      const { redirectUrls } = subject();
      const { id, url } = await insert('a', false);
      expect(await redirectUrls.has(app.id, 'login', url)).toBe(true);
      expect(await redirectUrls.has(app.id, 'invite', url)).toBe(false);
      expect(await redirectUrls.has(newId('app'), 'login', url)).toBe(false);
      expect(await redirectUrls.delete(newId('app'), id)).toBe(false);
      expect(await redirectUrls.delete(app.id, id)).toBe(true);
      expect(await redirectUrls.has(app.id, 'login', url)).toBe(false);
    });

    it('redirect URLs are listed by their kind, of their app only', async () => {
      const { redirectUrls } = subject();
      const [login, invite] = [await insert('a', true), await insert('a', true, 'invite')];
      await insert('a', true, 'invite', another.id);
      const listed = async (kind: 'login' | 'registration' | 'invite') =>
        (await redirectUrls.list(app.id, { limit: 10 }, { kind })).items.map(({ id }) => id);
      expect([await listed('login'), await listed('registration'), await listed('invite')]).toEqual([
        [login.id],
        [],
        [invite.id],
      ]);
    });

    it('redirect URLs are listed newest first, those of an unknown app not at all', async () => {
      const made = [await insert('a', true), await insert('b', false), await insert('c', false)];
      const [first, second, third] = made.map(({ id }) => id);
      await insert('a', true, 'login', another.id);
      await expectPages((page) => subject().redirectUrls.list(app.id, page), [third!, second!, first!]);
      await expect(subject().redirectUrls.list(newId('app'), { limit: 1 })).rejects.toThrow(AppNotFound);
    });
  });

  describe('the audit log', () => {
    const add = (action: string, appId: AppId = app.id, fields?: readonly string[]) =>
      subject().transactions.run(() =>
        subject().auditLog.add({ actor: 'cli', requestId: null, ip: null }, appId, action, appId, fields),
      );

    it('entries are listed newest first, also those of a deleted app', async () => {
      const { auditLog, apps, transactions } = subject();
      await add('app.created');
      await add('app.created', another.id);
      await add('app.updated', app.id, ['name']);
      await transactions.run(() => apps.update(app.delete(now)));
      await add('app.deleted');
      const { items } = await auditLog.list(app.id, { limit: 10 });
      expect(items.map(({ action, actor, requestId, fields }) => [action, actor, requestId, fields])).toEqual([
        ['app.deleted', 'cli', null, []],
        ['app.updated', 'cli', null, ['name']],
        ['app.created', 'cli', null, []],
      ]);
      await expectPages(
        (page) => auditLog.list(app.id, page),
        items.map(({ id }) => id),
      );
    });

    it('the log of an unknown app cannot be listed', async () => {
      await expect(subject().auditLog.list(newId('app'), { limit: 1 })).rejects.toThrow(AppNotFound);
    });
  });
}
