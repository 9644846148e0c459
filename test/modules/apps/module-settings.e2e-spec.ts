import { Module, type OnModuleInit } from '@nestjs/common';
import { AppModule } from '../../../src/app.module.js';
import { WholeNumber } from '../../../src/edge/http/fields.js';
import { InvalidRequest } from '../../../src/kernel/errors.js';
import type { AppId } from '../../../src/kernel/ids.js';
import { MailKind } from '../../../src/kernel/mail-kind.js';
import { AppsFacade, ModuleSettings, RequestedOfApp, ShownOfApp } from '../../../src/modules/apps/index.js';
import { Database } from '../../../src/postgres/database.js';
import { Brands } from '../../../src/services/mail/brands.js';
import { renderMail } from '../../../src/services/mail/rendered-mail.js';
import { type Call, MANAGEMENT_KEY, startApp, type TestApp } from '../../support/app.js';
import { patiently } from '../../support/eventually.js';

// Settings as a new module would register them.
interface TestCodes {
  readonly length: number;
  readonly changes: number;
}

@RequestedOfApp('test_codes')
class TestCodesRequest {
  @WholeNumber({ min: 4, max: 8, unit: 'letters', optional: true })
  readonly length?: number;

  static change(this: void, current: TestCodes | null, { length = current?.length }: TestCodesRequest): TestCodes {
    if (length === undefined)
      throw new InvalidRequest([{ field: 'test_codes.length', rule: 'required', message: 'is required' }]);
    return { length, changes: (current?.changes ?? 0) + 1 };
  }
}

@ShownOfApp('test_codes')
class TestCodesResponse {
  static of(this: void, settings: TestCodes | null): object | null {
    return settings && { length: settings.length };
  }
}

const TEST_MAIL = MailKind.declare({
  kind: 'test_mail',
  substance: 'code',
  description: 'The mail with a test code.',
  template: { subject: 'A code', text: '{{greeting}} {{code}}', html: '<p>{{code}}</p>' },
});

@Module({})
class TestCodesModule implements OnModuleInit {
  constructor(private readonly settings: ModuleSettings) {}

  onModuleInit(): void {
    this.settings.register({ field: 'test_codes', change: TestCodesRequest.change, show: TestCodesResponse.of });
  }
}

let service: TestApp;
let settings: ModuleSettings;
beforeAll(async () => {
  const { with: ofAllModules } = AppModule;
  const mock = jest.spyOn(AppModule, 'with').mockImplementation((appSettings) => {
    const { imports, ...app } = ofAllModules(appSettings);
    return { ...app, imports: [...imports!, TestCodesModule] };
  });
  service = await startApp().finally(() => mock.mockRestore());
  settings = service.nest.get(ModuleSettings, { strict: false });
});
afterAll(() => service.stop());

it('a service with a field that has classes and that no module registers does not start', async () => {
  await expect(startApp()).rejects.toThrow('The setting test_codes of apps has classes and is not registered.');
});

const manage = (method: string, path: string, call: Call = {}) =>
  service.call(method, `/management/v1/apps${path}`, { key: MANAGEMENT_KEY, ...call });
const patch = (id: string, body: object) => manage('PATCH', `/${id}`, { body });
const stored = (id: string) =>
  service.nest.get(AppsFacade, { strict: false }).moduleSettings<TestCodes>(id as AppId, 'test_codes');

describe('settings that a module registers', () => {
  it('are a field of the app that is null until it is set, and that a PATCH without it keeps', async () => {
    const { id } = await service.given.app();
    expect((await manage('GET', `/${id}`)).body.test_codes).toBeNull();
    expect((await patch(id, { test_codes: { length: '6' } })).body.test_codes).toEqual({ length: 6 });
    await patch(id, { name: 'Renamed' });
    expect((await manage('GET', `/${id}`)).body).toMatchObject({ name: 'Renamed', test_codes: { length: 6 } });
    expect(await stored(id)).toEqual({ length: 6, changes: 1 });
  });

  it('are set when an app is created, and shown in the list of apps', async () => {
    const { id } = await service.given.app({ test_codes: { length: 8 } });
    const { body } = await manage('GET', '');
    expect(body.apps.find((app: { id: string }) => app.id === id).test_codes).toEqual({ length: 8 });
  });

  it('are cleared by null', async () => {
    const { id } = await service.given.app({ test_codes: { length: 8 } });
    expect((await patch(id, { test_codes: null })).body.test_codes).toBeNull();
    expect(await stored(id)).toBeNull();
  });

  it('belong to one app', async () => {
    const { id } = await service.given.app({ test_codes: { length: 8 } });
    const other = await service.given.app();
    expect([await stored(id), await stored(other.id)]).toEqual([{ length: 8, changes: 1 }, null]);
  });

  it.each([
    [{ length: 3 }, { field: 'test_codes.length', rule: 'min' }],
    [{}, { field: 'test_codes.length', rule: 'required' }],
    ['6', { field: 'test_codes', rule: 'type' }],
    [[{ length: 6 }], { field: 'test_codes', rule: 'type' }],
  ])('change nothing when they are %j, and the error names the field', async (value, error) => {
    const { id } = await service.given.app();
    const { status, body } = await patch(id, { name: 'Changed', test_codes: value });
    expect([status, body.errors]).toEqual([400, [expect.objectContaining(error)]]);
    expect((await manage('GET', `/${id}`)).body).toMatchObject({ name: 'Acme', test_codes: null });
  });

  it('lose no change of 10 simultaneous requests', async () => {
    const { id } = await service.given.app();
    await Promise.all(Array.from({ length: 10 }, () => patiently(() => patch(id, { test_codes: { length: 5 } }))));
    expect(await stored(id)).toEqual({ length: 5, changes: 10 });
  });

  it('are named in the audit log', async () => {
    const { id } = await service.given.app();
    await patch(id, { test_codes: { length: 5 } });
    expect((await manage('GET', `/${id}/audit_log`)).body.entries[0].fields).toEqual(['test_codes']);
  });

  it('are not stored for a field that no module has registered', async () => {
    const { id } = await service.given.app({ unregistered: { length: 5 } });
    const [row] = await service.nest.get(Database).read('select settings from apps where id = $1', [id]);
    expect(row).toEqual({ settings: {} });
  });
});

describe('a kind of mail that a module declares', () => {
  const set = (id: string, template: object) => patch(id, { messages: { templates: { test_mail: template } } });

  it('has a template of each app, which replaces the built-in one', async () => {
    const { id } = await service.given.app();
    expect((await manage('GET', `/${id}`)).body.messages.templates).toMatchObject({ test_mail: null, sms: null });
    const template = { subject: 'From {{app_name}}' };
    expect((await set(id, template)).body.messages.templates.test_mail).toEqual(template);
    const brand = await service.nest.get(Brands, { strict: false }).of(id as AppId);
    const rendered = renderMail(TEST_MAIL.mail({ to: 'ann@example.com', minutes: 5, code: '4711' }), brand!);
    expect(rendered).toMatchObject({ subject: 'From Acme', html: '<p>4711</p>' });
  });

  it('accepts only texts with its own placeholders', async () => {
    const { id } = await service.given.app();
    const { body } = await set(id, { subject: '{{link}}', text: 'none', html: '{{code}}' });
    expect(body.errors.map(({ field, message }: Record<string, string>) => [field, message])).toEqual([
      ['messages.templates.test_mail.subject', expect.stringContaining('{{code}}, {{app_name}}, {{greeting}}')],
      ['messages.templates.test_mail.text', 'must have the placeholder {{code}}'],
    ]);
  });

  it('is declared once', () => {
    expect(() => MailKind.declare({ ...TEST_MAIL['declaration'] })).toThrow('test_mail is registered already');
  });
});

describe('the registry of settings', () => {
  const setting = { change: TestCodesRequest.change, show: TestCodesResponse.of };

  it('refuses a field twice', () => {
    expect(() => settings.register({ field: 'test_codes', ...setting })).toThrow('registered already');
  });

  it.each([
    ['that is registered without a class for requests', [], ['known'], 'setting known of apps has no class'],
    ['that is registered without a class for answers', ['known'], [], 'setting known of apps has no class'],
    [
      'that has a class for requests and is not registered',
      ['known', 'new'],
      ['known'],
      'setting new of apps has classes',
    ],
    [
      'that has a class for answers and is not registered',
      ['known'],
      ['known', 'new'],
      'setting new of apps has classes',
    ],
  ])('names a field %s', (_, requested, shown, message) => {
    const registry = new ModuleSettings();
    registry.register({ field: 'known', ...setting });
    const require = () => registry.requireDocumented({ requested: new Set(requested), shown: new Set(shown) });
    expect(require).toThrow(message);
  });

  it('accepts a field that is registered and has both classes', () => {
    const registry = new ModuleSettings();
    registry.register({ field: 'known', ...setting });
    const known = new Set(['known']);
    expect(() => registry.requireDocumented({ requested: known, shown: known })).not.toThrow();
  });
});
