import express, { type Request } from 'express';
import { clientNetwork } from '../../../src/services/limits/client-network.js';

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
