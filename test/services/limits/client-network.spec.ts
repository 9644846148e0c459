import express, { type Request } from 'express';
import { clientNetwork, isInNetworks, isNetwork } from '../../../src/services/limits/client-network.js';

/** What Express makes of a request from `peer` with this X-Forwarded-For. */
function networkOf(peer: string | undefined, { forwarded = '', trust = false as number | string | false } = {}) {
  const app = express();
  app.set('trust proxy', trust);
  const request = Object.create(app.request) as Request;
  const socket = { remoteAddress: peer };
  Object.assign(request, {
    app,
    socket,
    connection: socket,
    headers: { ...(forwarded && { 'x-forwarded-for': forwarded }) },
  });
  return clientNetwork(request);
}

describe('the network of a client', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::ffff:cb00:7107', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::FFFF', '2001:db8:1:2::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['fe80::1%eth-0.1', 'fe80:0:0:0::/64'],
  ])('of %s is %s', (address, network) => expect(networkOf(address)).toBe(network));

  it('differs for each /64', () => {
    expect(networkOf('2001:db8:1:2::1')).not.toBe(networkOf('2001:db8:1:3::1'));
  });

  it('is the same for all connections without an address', () => expect(networkOf(undefined)).toBe('unknown'));

  it('ignores an X-Forwarded-For that the client sent', () => {
    expect(networkOf('203.0.113.7', { forwarded: '192.0.2.1' })).toBe('203.0.113.7');
    expect(networkOf('203.0.113.7', { forwarded: '192.0.2.1', trust: '10.0.0.0/8' })).toBe('203.0.113.7');
  });

  it('uses the entries of trusted proxies in X-Forwarded-For, and no earlier entry', () => {
    const forwarded = '192.0.2.66, 198.51.100.9';
    expect(networkOf('10.0.0.1', { forwarded, trust: 1 })).toBe('198.51.100.9');
    expect(networkOf('10.0.0.1', { forwarded, trust: '10.0.0.0/8' })).toBe('198.51.100.9');
    expect(networkOf('10.0.0.1', { forwarded: '2001:db8:1:2::9', trust: 1 })).toBe('2001:db8:1:2::/64');
  });

  it.each(['unknown', 'a.b.c.d', '1.2.3', '<script>', '198.51.100.9:4711'])(
    'is the network of the proxy when the header is %j',
    (forwarded) => expect(networkOf('10.0.0.1', { forwarded, trust: 1 })).toBe('10.0.0.1'),
  );
});

describe('the networks of a restricted key', () => {
  it.each([
    ['192.0.2.0/24', true],
    ['192.0.2.7/32', true],
    ['0.0.0.0/0', true],
    ['2001:db8::/32', true],
    ['::1/128', true],
    ['192.0.2.7/24', false],
    ['192.0.2.0', false],
    ['192.0.2.0/33', false],
    ['192.0.2.0/', false],
    ['192.0.2/24', false],
    ['0300.0.2.0/24', false],
    ['2001:db8::/129', false],
    ['2001:db8::1/32', false],
    ['fe80::%eth0/64', false],
    ['::ffff:192.0.2.0/120', false],
  ])('are written like %s: %s', (text, isValid) => {
    expect(isNetwork(text)).toBe(isValid);
  });

  it('include no address that is unknown, unless there are none', () => {
    expect([isInNetworks(undefined, ['0.0.0.0/0']), isInNetworks('x', ['0.0.0.0/0'])]).toEqual([false, false]);
    expect(isInNetworks(undefined, [])).toBe(true);
    expect(isInNetworks('fe80::1%eth0', ['fe80::/64'])).toBe(true);
  });
});
