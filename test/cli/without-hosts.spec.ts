import { withoutHosts } from '../../src/cli/without-hosts.js';

const HOSTS = ['db-1.corp.example'];

describe('a text of a bundle for a report', () => {
  it.each([
    ['connect to 10.0.0.7', 'connect to …'],
    ['connect to 10.0.0.7:8200', 'connect to …'],
    ['connect to 10.0.0.7:8200: refused', 'connect to … refused'],
    ['no route to 10.0.0.7.', 'no route to …'],
    ['no route to 10.0.0.7...', 'no route to …'],
    ['node:10.0.0.7: refused', 'node:…: refused'],
    ['node:10.0.0.7:8200:bad', 'node:…:bad'],
    ['bind ::1: in use', 'bind … in use'],
    ['bind [::1]:8200.', 'bind […]:8200.'],
    ['bind fe80:::', 'bind …'],
    ['no route to 2001:db8::7:', 'no route to …'],
    ['no route to ::ffff:10.0.0.7.', 'no route to …'],
    ['no route to db-1.corp.example: refused', 'no route to …: refused'],
  ])('names no host and no address: %s', (text, shown) => {
    expect(withoutHosts(text, HOSTS)).toBe(shown);
  });

  it.each(['version 16.4.', 'at 12:34:56.', 'bad...', 'release 1.2.3:', 'db-1.corp.example-2'])('keeps %s', (text) => {
    expect(withoutHosts(text, HOSTS)).toBe(text);
  });
});
