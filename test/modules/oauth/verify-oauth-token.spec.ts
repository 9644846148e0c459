import { Test, type TestingModule } from '@nestjs/testing';
import { createHash, randomBytes } from 'node:crypto';
import { newId } from '../../../src/kernel/ids.js';
import { SecretTokens } from '../../../src/kernel/secret-tokens.js';
import { Transactions } from '../../../src/kernel/transactions.js';
import { SealBroken, Vault } from '../../../src/kernel/vault.js';
import { providerTokensContext, OauthLoginRepository } from '../../../src/modules/oauth/domain/login-ticket.js';
import { VerifyOauthToken } from '../../../src/modules/oauth/application/verify-oauth-token.js';
import { SignInWithProvider } from '../../../src/modules/identity/index.js';
import { InvalidOauthToken } from '../../../src/modules/oauth/domain/oauth.errors.js';
import { InvalidSession, SessionFacade } from '../../../src/modules/session/index.js';
import { EnvelopeVault } from '../../../src/services/crypto/envelope-vault.js';
import { Keyring } from '../../../src/services/crypto/keyring.js';
import { KeyringKeyWrapper } from '../../../src/services/crypto/keyring-key-wrapper.js';
import { testTokens } from '../../support/secret-tokens.js';
import { FixedClock } from '../../support/in-memory/fixed-clock.js';
import { InMemoryOauthLoginRepository } from '../../support/in-memory/in-memory-oauth-login.repository.js';
import { InMemoryTransactions } from '../../support/in-memory/in-memory-transactions.js';
import { loginTicket } from '../../support/port-tests/oauth-login-repository.js';

const vault = new EnvelopeVault(new KeyringKeyWrapper(Keyring.parse(`k1:${randomBytes(32).toString('base64')}`)));
const appId = newId('app');
const sessions = { refuses: false };
let nest: TestingModule;

beforeEach(async () => {
  sessions.refuses = false;
  const transactions = new InMemoryTransactions();
  nest = await Test.createTestingModule({
    providers: [
      VerifyOauthToken,
      { provide: Transactions, useValue: transactions },
      { provide: OauthLoginRepository, useValue: new InMemoryOauthLoginRepository(transactions, new FixedClock()) },
      { provide: SignInWithProvider, useValue: {} },
      { provide: SecretTokens, useValue: testTokens() },
      { provide: Vault, useValue: vault },
      {
        provide: SessionFacade,
        useValue: {
          resolve: async () => ({ kind: 'none', userId: null, binding: null }) as const,
          addFactor: async () => {
            if (sessions.refuses) throw new InvalidSession();
            return null;
          },
        } satisfies Partial<SessionFacade>,
      },
    ],
  }).compile();
});

const issued = { accessToken: 'access', refreshToken: 'refresh' };

async function ticket(codeChallenge: string | null = null): Promise<string> {
  const token = nest.get(SecretTokens).mint();
  const tokenHash = nest.get(SecretTokens).hash('oauth_token', token);
  const sealedTokens = vault.seal(Buffer.from(JSON.stringify(issued)), providerTokensContext(appId, tokenHash));
  await nest.get(OauthLoginRepository).addTicket(loginTicket({ appId, tokenHash, sealedTokens, codeChallenge }), 10);
  return token;
}
const verify = (token: string, codeVerifier?: string) =>
  nest.get(VerifyOauthToken).execute(appId, { token, codeVerifier }, {});

describe('VerifyOauthToken', () => {
  it('spends a token exactly once, however many calls present it', async () => {
    const token = await ticket();
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => verify(token)));
    const verified = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    expect(verified.map(({ providerTokens }) => providerTokens)).toEqual([issued]);
  });

  it('leaves the token unspent when the session is refused', async () => {
    const token = await ticket();
    sessions.refuses = true;
    await expect(verify(token)).rejects.toThrow(InvalidSession);
    sessions.refuses = false;
    expect((await verify(token)).providerTokens).toEqual(issued);
  });

  it('leaves the token unspent when the tokens of the provider do not open', async () => {
    const token = await ticket();
    const open = jest.spyOn(vault, 'open').mockImplementationOnce(() => {
      throw new SealBroken('The master key is missing.');
    });
    await expect(verify(token)).rejects.toThrow(SealBroken);
    open.mockRestore();
    expect((await verify(token)).providerTokens).toEqual(issued);
  });

  it('leaves the token unspent when the code verifier is wrong or missing', async () => {
    const token = await ticket(createHash('sha256').update('verifier').digest('base64url'));
    for (const wrong of [undefined, 'another']) await expect(verify(token, wrong)).rejects.toThrow(InvalidOauthToken);
    expect((await verify(token, 'verifier')).providerTokens).toEqual(issued);
  });
});
