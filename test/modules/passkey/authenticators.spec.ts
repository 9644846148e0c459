import { newId } from '../../../src/kernel/ids.js';
import { assertionIn, attestationIn } from '../../../src/modules/passkey/domain/authenticators.js';
import type { Passkey } from '../../../src/modules/passkey/domain/passkey.js';
import { SimplewebauthnAuthenticators } from '../../../src/modules/passkey/infrastructure/simplewebauthn-authenticators.js';
import { type Deviation, VirtualAuthenticator } from '../../support/virtual-authenticator.js';

const [RP_ID, ORIGIN] = ['example.com', 'https://login.example.com'];
const settings = { rpId: RP_ID, rpName: null, origins: [ORIGIN], decoyKey: '' };
const challenge = Buffer.alloc(32, 1).toString('base64url');
const authenticators = new SimplewebauthnAuthenticators();
const own = new VirtualAuthenticator(ORIGIN);

async function passkeyOf(authenticator: VirtualAuthenticator, rpId = RP_ID): Promise<Passkey> {
  const created = authenticator.create({ rp: { id: RP_ID }, challenge, user: { id: '' } });
  return { ...(await authenticators.attested(attestationIn(created), settings))!, id: newId('passkey'), rpId } as never;
}

describe('an answer of an authenticator', () => {
  const isAccepted = async (passkey: Passkey | null, deviation: Deviation = {}): Promise<boolean> => {
    const answer = assertionIn(own.get({ rpId: RP_ID, challenge }, deviation));
    return (await authenticators.asserted(answer, settings, passkey)) !== null;
  };

  it('is accepted for its passkey', async () => {
    expect(await isAccepted(await passkeyOf(own))).toBe(true);
  });

  it.each<[string, Deviation]>([
    ['on another page', { origin: 'https://example.com.evil.example' }],
    ['for another domain', { rpId: 'evil.example' }],
    ['to a registration', { type: 'webauthn.create' }],
    ['without verification of the user', { isUserVerified: false }],
  ])('%s is refused', async (_, deviation) => {
    expect(await isAccepted(await passkeyOf(own), deviation)).toBe(false);
  });

  it('is refused for no passkey, for another one, and for one that was made for another domain', async () => {
    expect(await isAccepted(null)).toBe(false);
    expect(await isAccepted(await passkeyOf(new VirtualAuthenticator(ORIGIN)))).toBe(false);
    expect(await isAccepted(await passkeyOf(own, 'old.example'))).toBe(false);
  });
});
