import { App, settingsOf } from '../../../src/modules/apps/domain/app.js';
import { isTrustworthy } from '../../../src/modules/apps/domain/web-address.js';
import { LIMITS, limitsInForce } from '../../../src/modules/apps/domain/app-limits.js';

const noon = new Date('2026-01-01T12:00:00Z');
const later = new Date('2026-01-01T13:00:00Z');

describe('the settings of an app', () => {
  it('stay as they are when a change does not mention them', () => {
    const app = App.create('test', { name: 'Acme', defaultWalletType: 'solana', limits: { lockMinutes: 2 } }, noon);
    const changed = app.change({ name: 'Other' }, later);
    expect(changed).toMatchObject({
      name: 'Other',
      defaultWalletType: 'solana',
      limits: { lockMinutes: 2 },
      updatedAt: later,
    });
    expect(app.name).toBe('Acme');
  });

  it('hold only the limits that were set, so that a default may change', () => {
    const app = App.create('test', { name: 'Acme', limits: { lockMinutes: 2, sendsPerHour: 5 } }, noon);
    expect(app.change({ limits: { lockMinutes: null } }, later).limits).toEqual({ sendsPerHour: 5 });
  });

  it('keep the network of a bound whose name is sent again for another network, until the name has no bound', () => {
    const bounded = App.create('test', { name: 'Acme' }, noon).change(
      { transferPolicy: { maxFees: { base: '1' }, networkIds: { base: ['eip155:8453'] } } },
      noon,
    );
    const reused = bounded.change(
      { transferPolicy: { maxAmounts: { base: '5' }, networkIds: { base: ['eip155:84532'] } } },
      noon,
    );
    expect(reused.transferPolicy.networkIds).toEqual({ base: ['eip155:8453', 'eip155:84532'] });
    const without = reused.change({ transferPolicy: { maxFees: null, maxAmounts: null } }, noon);
    expect(without.transferPolicy).toEqual({});
  });

  it('are complete: every limit has a value', () => {
    const { limits } = settingsOf(App.create('live', { name: 'Acme', limits: { lockMinutes: 2 } }, noon));
    expect(limits).toEqual({ ...limitsInForce('live', {}), lockMinutes: 2 });
    expect(Object.keys(limits).toSorted()).toEqual([...Object.keys(LIMITS), 'smsCountries'].toSorted());
  });

  it.each([
    ['live', {}, { typedData: 'listed' }],
    ['live', { typedData: null }, { typedData: 'listed' }],
    ['live', { typedData: 'any' }, { typedData: 'any' }],
    ['test', {}, {}],
  ] as const)('let a new %s app with %j sign typed data by %j', (mode, signingPolicy, stored) => {
    expect(App.create(mode, { name: 'Acme', signingPolicy }, noon).signingPolicy).toEqual(stored);
  });

  it('name an allowed origin once', () => {
    const allowedOrigins = ['https://a.example', 'https://a.example'];
    expect(App.create('live', { name: 'Acme', allowedOrigins }, noon).allowedOrigins).toEqual(['https://a.example']);
  });
});

describe('an address of an app in live mode', () => {
  it.each([
    ['https://a.example', true],
    ['http://localhost:3000', true],
    ['http://a.localhost', true],
    ['http://127.0.0.1', true],
    ['http://[::1]', true],
    ['http://a.example', false],
    ['http://localhost.evil.example', false],
    ['http://127.0.0.1.evil.example', false],
    ['http://evil-localhost', false],
    ['https://*.a.example', false],
  ])('may be %s: %p', (text, isAllowed) => {
    expect(isTrustworthy(new URL(text), 'live')).toBe(isAllowed);
  });
});
