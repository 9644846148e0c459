import type { NestExpressApplication } from '@nestjs/platform-express';
import express, { type Request } from 'express';
import { addressOf } from '../../../src/edge/auth/refused-requests.js';
import { trustProxies } from '../../../src/edge/http/express-internals.js';
import {
  clientNetwork,
  isInNetworks,
  isNetwork,
  plainAddress,
  siteOf,
} from '../../../src/services/limits/client-network.js';

interface Proxies {
  readonly forwarded?: string;
  readonly trust?: number | string | false;
}

/** What Express makes of a request from `peer` with this X-Forwarded-For. */
function requestFrom(peer: string | undefined, { forwarded = '', trust = false }: Proxies = {}): Request {
  const app = express();
  const nest = { set: app.set.bind(app), getHttpAdapter: () => ({ getInstance: () => app }) };
  trustProxies(nest as unknown as NestExpressApplication, trust);
  const request = Object.create(app.request) as Request;
  const socket = { remoteAddress: peer };
  Object.assign(request, {
    app,
    socket,
    connection: socket,
    headers: { ...(forwarded && { 'x-forwarded-for': forwarded }) },
  });
  return request;
}

const networkOf = (...of: Parameters<typeof requestFrom>) => clientNetwork(requestFrom(...of));

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

  it.each([
    'unknown',
    '_hidden',
    '"_gazonk"',
    'unknown:4711',
    'a.b.c.d',
    '1.2.3',
    '<script>',
    '1.2.3.4:',
    '"1.2.3.4',
    '[::1',
  ])('is the network of the proxy when the header is %j, and the address is unknown', (forwarded) => {
    const request = requestFrom('10.0.0.1', { forwarded, trust: 1 });
    expect([clientNetwork(request), addressOf(request.ip)]).toEqual(['10.0.0.1', null]);
    expect(isInNetworks(request.ip, ['0.0.0.0/0', '::/0'])).toBe(false);
  });

  it.each([
    ['198.51.100.9:4711', '198.51.100.9', '198.51.100.9'],
    ['"198.51.100.9:4711"', '198.51.100.9', '198.51.100.9'],
    ['198.51.100.9:_port-1', '198.51.100.9', '198.51.100.9'],
    ['[2001:db8:1:2::9]', '2001:db8:1:2::/64', '2001:db8:1:2::9'],
    ['"[2001:db8:1:2::9]:4711"', '2001:db8:1:2::/64', '2001:db8:1:2::9'],
    ['[::ffff:198.51.100.9]:4711', '198.51.100.9', '198.51.100.9'],
    ['\t198.51.100.9\t', '198.51.100.9', '198.51.100.9'],
  ])('is that of an entry such as %j', (entry, network, address) => {
    for (const trust of [1, '10.0.0.0/8']) {
      const request = requestFrom('10.0.0.1', { forwarded: `192.0.2.66, ${entry}`, trust });
      expect([clientNetwork(request), addressOf(request.ip)]).toEqual([network, address]);
      expect(isInNetworks(request.ip, [address.includes(':') ? `${address}/128` : `${address}/32`])).toBe(true);
    }
  });

  it('is found behind proxies that are written with a port', () => {
    const forwarded = '192.0.2.66, 198.51.100.9:4711, "10.0.0.2:443", 10.0.0.3:80';
    expect(networkOf('10.0.0.1', { forwarded, trust: '10.0.0.0/8' })).toBe('198.51.100.9');
    expect(networkOf('10.0.0.1', { forwarded, trust: 3 })).toBe('198.51.100.9');
  });

  it('is not looked for beyond an entry that is no address: that of the proxy that wrote it counts', () => {
    const forwarded = '192.0.2.66, unknown, 10.0.0.2:443';
    for (const trust of [2, 3, 9, '10.0.0.0/8']) {
      const request = requestFrom('10.0.0.1', { forwarded, trust });
      expect([clientNetwork(request), addressOf(request.ip)]).toEqual(['10.0.0.2', null]);
    }
    expect(networkOf('10.0.0.1', { forwarded, trust: 1 })).toBe('10.0.0.2');
  });
});

describe('an address', () => {
  it.each(['203.0.113.7', '203.0.113.7:51544', '"203.0.113.7"', '[::ffff:203.0.113.7]:1'])(
    'that an app passes on as %j is the same',
    (text) => expect(plainAddress(text)).toBe('203.0.113.7'),
  );

  it.each([
    ['2001:db8:1:2::/64', '2001:db8:1::/48'],
    ['0:0:0:0::/64', '0:0:0::/48'],
    ['203.0.113.7', undefined],
    ['unknown', undefined],
  ])('in the network %s is in the site %s', (network, site) => expect(siteOf(network)).toBe(site));
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
