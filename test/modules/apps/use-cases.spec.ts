import { Test, type TestingModule } from '@nestjs/testing';
import { Clock } from '../../../src/kernel/clock.js';
import { newId } from '../../../src/kernel/ids.js';
import { DomainEvents } from '../../../src/kernel/domain-events.js';
import { ObjectOwners } from '../../../src/kernel/object-owners.js';
import { SecretTokens } from '../../../src/kernel/secret-tokens.js';
import { Transactions } from '../../../src/kernel/transactions.js';
import { ManageApiKeys } from '../../../src/modules/apps/application/manage-api-keys.js';
import { ManageRedirectUrls } from '../../../src/modules/apps/application/manage-redirect-urls.js';
import { ManageApps } from '../../../src/modules/apps/application/manage-apps.js';
import { PURPOSES, ApiKeyRepository } from '../../../src/modules/apps/domain/api-key.js';
import { App, AppRepository } from '../../../src/modules/apps/domain/app.js';
import {
  AppNotFound,
  DuplicateRedirectUrl,
  InvalidAllowedOrigin,
  InvalidExpiry,
  InvalidRedirectUrl,
  KeyNotFound,
} from '../../../src/modules/apps/domain/apps.errors.js';
import { AuditLog } from '../../../src/modules/apps/domain/audit-log.js';
import { ModuleSettings } from '../../../src/modules/apps/domain/module-settings.js';
import { RedirectUrlRepository } from '../../../src/modules/apps/domain/redirect-url.js';
import { testTokens } from '../../support/secret-tokens.js';
import { FixedClock } from '../../support/in-memory/fixed-clock.js';
import { InMemoryApiKeyRepository } from '../../support/in-memory/in-memory-api-key.repository.js';
import { InMemoryAppRepository } from '../../support/in-memory/in-memory-app.repository.js';
import { InMemoryAuditLog } from '../../support/in-memory/in-memory-audit-log.js';
import { InMemoryEvents } from '../../support/in-memory/in-memory-events.js';
import { InMemoryRedirectUrlRepository } from '../../support/in-memory/in-memory-redirect-url.repository.js';
import { InMemoryTransactions } from '../../support/in-memory/in-memory-transactions.js';

const by = { actor: 'key_of_the_operator', requestId: 'request', ip: null };
let app: App;
let nest: TestingModule;
let clock: FixedClock;
let events: InMemoryEvents;

beforeEach(async () => {
  const transactions = new InMemoryTransactions();
  const apps = new InMemoryAppRepository(transactions);
  clock = new FixedClock();
  events = new InMemoryEvents(transactions);
  nest = await Test.createTestingModule({
    providers: [
      ManageApiKeys,
      ManageRedirectUrls,
      ManageApps,
      ModuleSettings,
      { provide: Clock, useValue: clock },
      { provide: Transactions, useValue: transactions },
      { provide: SecretTokens, useValue: testTokens() },
      { provide: AppRepository, useValue: apps },
      { provide: ApiKeyRepository, useValue: new InMemoryApiKeyRepository(transactions, apps) },
      { provide: RedirectUrlRepository, useValue: new InMemoryRedirectUrlRepository(transactions, apps) },
      { provide: DomainEvents, useValue: events },
      { provide: ObjectOwners, useValue: { register: () => undefined, find: async () => null } satisfies ObjectOwners },
      { provide: AuditLog, useValue: new InMemoryAuditLog(transactions, apps) },
    ],
  }).compile();
  app = App.create('live', { name: 'Acme' }, clock.now());
  await apps.insert(app);
});

const audited = async () =>
  (await nest.get(AuditLog).list(app.id, { limit: 10 })).items.map(({ action, fields }) => [action, ...fields]);

describe('ManageApiKeys.issue', () => {
  const issue = (expiresAt: Date | null = null, appId = app.id) =>
    nest.get(ManageApiKeys).issue(by, appId, { kind: 'secret', name: 'CI', expiresAt });

  it('stores the hash of a key of the mode of its app and audits it', async () => {
    const { key, text } = await issue();
    expect(text).toMatch(/^sk_live_[0-9A-Za-z]{48}$/);
    const [stored] = (await nest.get(ApiKeyRepository).list(app.id, { limit: 1 })).items;
    expect(stored).toEqual(key);
    expect(stored!.hash).toEqual(nest.get(SecretTokens).hash(PURPOSES.secret, text));
    expect(JSON.stringify(stored)).not.toContain(text);
    expect(await audited()).toEqual([['key.created']]);
  });

  it('refuses a key that would have expired already, and an unknown app', async () => {
    await expect(issue(clock.now())).rejects.toThrow(InvalidExpiry);
    await expect(issue(null, newId('app'))).rejects.toThrow(AppNotFound);
    expect(await audited()).toEqual([]);
  });
});

describe('ManageApiKeys.revoke', () => {
  it('ends a key once and audits it once', async () => {
    const { key } = await nest.get(ManageApiKeys).issue(by, app.id, { kind: 'public', name: '', expiresAt: null });
    await nest.get(ManageApiKeys).revoke(by, app.id, key.id);
    await expect(nest.get(ManageApiKeys).revoke(by, app.id, key.id)).rejects.toThrow(KeyNotFound);
    expect((await nest.get(ApiKeyRepository).list(app.id, { limit: 1 })).items).toEqual([]);
    expect(await audited()).toEqual([['key.revoked'], ['key.created']]);
    expect(events.types).toEqual(['key.created', 'key.revoked']);
  });
});

describe('ManageRedirectUrls.register', () => {
  const register = (url: string, isDefault = false) =>
    nest.get(ManageRedirectUrls).register(by, app.id, { url, kind: 'login', isDefault });

  it('stores the canonical URL; a new default replaces the previous default', async () => {
    await register('https://SHOP.example', true);
    await register('https://shop.example/b', true);
    const urls = nest.get(RedirectUrlRepository);
    expect(await urls.has(app.id, 'login', 'https://shop.example/')).toBe(true);
    expect(await urls.defaultOf(app.id, 'login')).toBe('https://shop.example/b');
  });

  it('refuses plain http for a live app', async () => {
    await expect(register('http://shop.example/')).rejects.toThrow(InvalidRedirectUrl);
  });

  it('changes and audits nothing when the URL is registered already', async () => {
    await register('https://shop.example/a');
    await register('https://shop.example/b', true);
    await expect(register('https://shop.example/a', true)).rejects.toThrow(DuplicateRedirectUrl);
    expect(await nest.get(RedirectUrlRepository).defaultOf(app.id, 'login')).toBe('https://shop.example/b');
    expect(await audited()).toHaveLength(2);
    expect(events.types).toEqual(['redirect_url.created', 'redirect_url.created']);
  });
});

describe('ManageApps.update', () => {
  it('changes what is named, keeps the rest and audits the names of the fields', async () => {
    clock.advanceMinutes(1);
    const updated = await nest
      .get(ManageApps)
      .update({ by, appId: app.id }, { name: 'Shop', limits: { lockMinutes: 30 } });
    expect(updated).toMatchObject({ name: 'Shop', defaultWalletType: 'ethereum', limits: { lockMinutes: 30 } });
    expect(updated.updatedAt).toEqual(clock.now());
    expect(await nest.get(AppRepository).get(app.id)).toEqual(updated);
    expect(await audited()).toEqual([['app.updated', 'name', 'limits']]);
  });

  it('stores nothing of a change that is refused in part', async () => {
    const change = nest
      .get(ManageApps)
      .update({ by, appId: app.id }, { name: 'Shop', allowedOrigins: ['https://a.example/path'] });
    await expect(change).rejects.toThrow(InvalidAllowedOrigin);
    expect(await nest.get(AppRepository).get(app.id)).toEqual(app);
    expect(await audited()).toEqual([]);
  });
});
