import { newId } from '../../../src/kernel/ids.js';
import { decoysOf, isDecoy, type ListShape } from '../../../src/modules/passkey/domain/decoy.js';

const settings = { rpId: 'example.com', decoyKey: 'a key of the app' };
const appId = newId('app');
const users = Array.from({ length: 2_000 }, () => newId('user'));

const phone: ListShape = { weight: 60, passkeys: [[16, ['hybrid', 'internal']]] };
const key: ListShape = { weight: 30, passkeys: [[48, ['nfc', 'usb']]] };
const both: ListShape = { weight: 10, passkeys: [...phone.passkeys, [300, []]] };

const drawn = (shapes: readonly ListShape[]): string[] =>
  users.map((userId) =>
    JSON.stringify(
      decoysOf(settings, appId, userId, shapes).map(({ credentialId, transports }) => [
        Buffer.from(credentialId, 'base64url').length,
        transports,
      ]),
    ),
  );
const share = (draws: readonly string[], { passkeys }: ListShape): number =>
  draws.filter((draw) => draw === JSON.stringify(passkeys)).length / draws.length;

describe('the decoys of users without passkeys', () => {
  it('have each shape as often as the users of the app', () => {
    const draws = drawn([phone, key, both]);
    // Five standard deviations.
    for (const shape of [phone, key, both])
      expect(Math.abs(share(draws, shape) - shape.weight / 100)).toBeLessThan(5 * Math.sqrt(0.25 / users.length));
    expect(drawn([both, phone, key])).toEqual(draws);
  });

  it('stay when the passkeys of the app become more, except for those that must follow', () => {
    const before = drawn([phone, key, both]);
    const twice = drawn([phone, key, both].map(({ weight, passkeys }) => ({ weight: 2 * weight, passkeys })));
    expect(twice).toEqual(before);
    const tablet: ListShape = { weight: 25, passkeys: [[32, ['internal']]] };
    const after = drawn([phone, key, both, tablet]);
    const changed = after.filter((draw, i) => draw !== before[i]);
    expect(share(changed, tablet)).toBe(1);
    expect(Math.abs(changed.length / users.length - 0.2)).toBeLessThan(5 * Math.sqrt(0.16 / users.length));
  });

  it('are recognised by the app at every length, and no other id is', () => {
    for (const userId of users.slice(0, 200)) {
      for (const { credentialId } of decoysOf(settings, appId, userId, [key, both])) {
        const id = Buffer.from(credentialId, 'base64url');
        expect(isDecoy(settings.decoyKey, appId, id)).toBe(true);
        expect(isDecoy(settings.decoyKey, newId('app'), id)).toBe(false);
        id[0]! ^= 1;
        expect(isDecoy(settings.decoyKey, appId, id)).toBe(false);
      }
    }
    expect(isDecoy(settings.decoyKey, appId, Buffer.alloc(15))).toBe(false);
  });
});
