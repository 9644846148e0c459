import { Test, type TestingModule } from '@nestjs/testing';
import { verifyMessage, Wallet as EthersWallet } from 'ethers';
import { randomBytes } from 'node:crypto';
import { Clock } from '../../../src/kernel/clock.js';
import { type AppId, newId, type UserId } from '../../../src/kernel/ids.js';
import { DomainEvents } from '../../../src/kernel/domain-events.js';
import { Transactions } from '../../../src/kernel/transactions.js';
import { Vault } from '../../../src/kernel/vault.js';
import { IdentityFacade, LastWayToSignIn } from '../../../src/modules/identity/index.js';
import { InvalidSession, type SessionArguments, SessionFacade } from '../../../src/modules/session/index.js';
import { SignInWithWallet } from '../../../src/modules/wallet/application/login/sign-in-with-wallet.js';
import { VerifyWallet } from '../../../src/modules/wallet/application/login/verify-wallet.js';
import { AppsFacade } from '../../../src/modules/apps/index.js';
import { NOTHING_USED, RunningUsage } from '../../../src/modules/policy/domain/verdict.js';
import { Gate } from '../../../src/modules/policy/index.js';
import { SigningWallets, SignMessage } from '../../../src/modules/wallet/application/signing/sign.js';
import { ManageWallets } from '../../../src/modules/wallet/application/wallets/manage-wallets.js';
import {
  newRegistration,
  type Registration,
  InvalidWalletSignature,
  RegistrationRepository,
} from '../../../src/modules/wallet/domain/login/registration.js';
import { SignatureVerifier, SignInSettings } from '../../../src/modules/wallet/domain/login/sign-in-text.js';
import { WalletKeys } from '../../../src/modules/wallet/domain/keys/wallet-keys.js';
import { MessageSigner } from '../../../src/modules/wallet/domain/signing/message-signer.js';
import {
  WalletIsManaged,
  WalletNotFound,
  WalletReadOnly,
} from '../../../src/modules/wallet/domain/wallets/wallet.errors.js';
import { WalletRepository } from '../../../src/modules/wallet/domain/wallets/wallet.repository.js';
import { Wallet } from '../../../src/modules/wallet/domain/wallets/wallet.js';
import { STANDARD_NETWORKS } from '../../support/native-assets.js';
import { WalletSignatureVerifier } from '../../../src/modules/wallet/infrastructure/login/wallet-signature-verifier.js';
import {
  SECP256K1_BACKENDS,
  Secp256k1,
} from '../../../src/modules/wallet/infrastructure/signing/secp256k1-signature.js';
import { VaultWalletKeys } from '../../../src/modules/wallet/infrastructure/keys/vault-wallet-keys.js';
import { VaultMessageSigner } from '../../../src/modules/wallet/infrastructure/signing/vault-message-signer.js';
import { EnvelopeVault } from '../../../src/services/crypto/envelope-vault.js';
import { Keyring } from '../../../src/services/crypto/keyring.js';
import { KeyringKeyWrapper } from '../../../src/services/crypto/keyring-key-wrapper.js';
import { FixedClock } from '../../support/in-memory/fixed-clock.js';
import { InMemoryEvents } from '../../support/in-memory/in-memory-events.js';
import { InMemoryRegistrationRepository } from '../../support/in-memory/in-memory-registration.repository.js';
import { InMemoryTransactions } from '../../support/in-memory/in-memory-transactions.js';
import { InMemoryWalletRepository } from '../../support/in-memory/in-memory-wallet.repository.js';
import { externalWallet } from '../../support/port-tests/wallet-repository.js';

const appId: AppId = newId('app');
let ann: UserId;
let nest: TestingModule;
let events: InMemoryEvents;
let clock: FixedClock;
let wallets: WalletRepository;
let registrations: RegistrationRepository;

/** Identity that knows one rule: whether the wallet was the user's last sign-in method. */
const identity = { hasAnotherMethod: true, claimed: true };
/** Sessions that refuse when the test says so. */
const sessions = { refuses: false };

const vault = new EnvelopeVault(new KeyringKeyWrapper(Keyring.parse(`k1:${randomBytes(32).toString('base64')}`)));

beforeEach(async () => {
  Object.assign(identity, { hasAnotherMethod: true, claimed: true });
  sessions.refuses = false;
  const transactions = new InMemoryTransactions();
  clock = new FixedClock();
  const secp256k1: Secp256k1 = { name: 'native', ...(await SECP256K1_BACKENDS[0]!.load()) };
  nest = await Test.createTestingModule({
    providers: [
      SigningWallets,
      ManageWallets,
      SignMessage,
      VerifyWallet,
      SignInWithWallet,
      { provide: Clock, useValue: clock },
      { provide: Transactions, useValue: transactions },
      { provide: DomainEvents, useValue: (events = new InMemoryEvents(transactions)) },
      { provide: WalletRepository, useValue: (wallets = new InMemoryWalletRepository(transactions)) },
      {
        provide: RegistrationRepository,
        useValue: (registrations = new InMemoryRegistrationRepository(transactions, clock)),
      },
      { provide: Vault, useValue: vault },
      { provide: SignInSettings, useValue: {} },
      { provide: Secp256k1, useValue: secp256k1 },
      { provide: WalletKeys, useClass: VaultWalletKeys },
      { provide: MessageSigner, useClass: VaultMessageSigner },
      { provide: SignatureVerifier, useValue: new WalletSignatureVerifier(secp256k1, null) },
      {
        provide: AppsFacade,
        useValue: {
          settings: async () => ({ signingPolicy: {}, defaultWalletType: 'none' }),
          networks: async () => STANDARD_NETWORKS,
          requireNetwork: async () => STANDARD_NETWORKS[0],
        },
      },
      {
        provide: Gate,
        useValue: {
          open: async (request) => ({
            request,
            operationId: '',
            revision: '',
            fitted: null,
            subject: null,
            counted: [],
          }),
          count: async () => ({ windows: new RunningUsage(NOTHING_USED), now: clock.now(), approvals: [] }),
          decide: async () => ({ decisionId: null, awaits: null, end: null, uses: [] }),
          useUp: () => undefined,
        } satisfies Partial<Gate>,
      },
      {
        provide: IdentityFacade,
        useValue: {
          holdActive: async () => undefined,
          use: async () => undefined,
          claimAccount: async () => identity.claimed,
          register: async () => newId('user'),
          removeSignInMethod: (_appId: AppId, _userId: UserId, _method: object, remove: () => Promise<void>) =>
            transactions.run(async () => {
              await remove();
              if (!identity.hasAnotherMethod) throw new LastWayToSignIn();
            }),
        } satisfies Partial<IdentityFacade>,
      },
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
  ann = newId('user');
});

const managed = async (): Promise<Wallet> => {
  const key = nest.get(WalletKeys).create({ appId, walletId: newId('wallet'), userId: ann, walletType: 'ethereum' });
  return wallets.addDefault(appId, Wallet.managed(key, clock.now()));
};
const external = async (publicAddress: string): Promise<Wallet> => {
  const wallet = externalWallet(appId, ann, publicAddress);
  await wallets.add(appId, wallet);
  return wallet;
};

describe('SignMessage', () => {
  const sign = (id: Wallet['id'], app = appId) =>
    nest.get(SignMessage).execute({ appId: app, id, keyId: newId('key') }, 'hello');

  it('signs with the key of the wallet and records one event', async () => {
    const { id, publicAddress } = await managed();
    const { wallet, result } = await sign(id);
    expect([wallet.id, verifyMessage('hello', result)]).toEqual([id, publicAddress]);
    expect(events.types).toEqual(['message.signed']);
  });

  it("signs neither with a read-only wallet nor with another app's wallet, and records nothing", async () => {
    const { id } = await external('0xA');
    await expect(sign(id)).rejects.toThrow(WalletReadOnly);
    await expect(sign((await managed()).id, newId('app'))).rejects.toThrow(WalletNotFound);
    expect(events.types).toEqual([]);
  });

  it('returns no signature when the event cannot be stored', async () => {
    const { id } = await managed();
    events.publish = () => Promise.reject(new Error('The database is unavailable.'));
    await expect(sign(id)).rejects.toThrow('The database is unavailable.');
  });
});

describe('ManageWallets.delete', () => {
  const remove = (id: Wallet['id']) => nest.get(ManageWallets).delete(appId, id);

  it('deletes a login wallet and frees its address', async () => {
    const { id } = await external('0xA');
    expect(await remove(id)).toBe(ann);
    expect(await wallets.findLogin(appId, '0xA')).toBeNull();
    expect(events.types).toEqual(['wallet.deleted']);
    await expect(remove(id)).rejects.toThrow(WalletNotFound);
  });

  it('keeps a managed wallet', async () => {
    const { id } = await managed();
    await expect(remove(id)).rejects.toThrow(WalletIsManaged);
    expect(await wallets.find(appId, id)).not.toBeNull();
  });

  it('keeps the wallet that is the last sign-in method of its user, and stores no event', async () => {
    const { id } = await external('0xA');
    identity.hasAnotherMethod = false;
    await expect(remove(id)).rejects.toThrow(LastWayToSignIn);
    expect(await wallets.findLogin(appId, '0xA')).toMatchObject({ id });
    expect(events.types).toEqual([]);
  });
});

describe('VerifyWallet.challenge', () => {
  const owner = new EthersWallet(`0x${'11'.repeat(32)}`);
  const begun = async (changes: Partial<Registration> = {}): Promise<Registration> => {
    const request = { appId, form: 'challenge', walletType: 'ethereum', publicAddress: owner.address } as const;
    const registration = newRegistration({ ...request, userId: ann, attaches: false, ...changes }, clock.now());
    await registrations.add(registration);
    return registration;
  };
  const verify = (id: Registration['id'], signature: string, asked: SessionArguments = {}) =>
    nest.get(VerifyWallet).challenge(appId, { id }, signature, asked);

  it('makes a login wallet for the user who was kept for the address', async () => {
    const { id, challenge } = await begun();
    const { wallet } = await verify(id, await owner.signMessage(challenge));
    expect(wallet).toMatchObject({ userId: ann, publicAddress: owner.address, isReadOnly: true });
    expect(events.types).toEqual(['wallet.created']);
  });

  it('gives the wallet to a new user when the kept account is no longer free', async () => {
    identity.claimed = false;
    const { id, challenge } = await begun();
    const { wallet } = await verify(id, await owner.signMessage(challenge));
    expect(wallet.userId).not.toBe(ann);
  });

  it('accepts a signature once, however many calls present it', async () => {
    const { id, challenge } = await begun();
    const signature = await owner.signMessage(challenge);
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => verify(id, signature)));
    const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
    expect(refused).toHaveLength(7);
    for (const error of refused) expect(error).toBeInstanceOf(InvalidWalletSignature);
    expect(events.types).toEqual(['wallet.created']);
  });

  it('refuses a signature of another key and one that comes after ten minutes', async () => {
    const { id, challenge } = await begun();
    const another = new EthersWallet(`0x${'22'.repeat(32)}`);
    await expect(verify(id, await another.signMessage(challenge))).rejects.toThrow(InvalidWalletSignature);
    clock.advanceMinutes(10);
    await expect(verify(id, await owner.signMessage(challenge))).rejects.toThrow(InvalidWalletSignature);
  });

  it('leaves the challenge open when the session is refused', async () => {
    const { id, challenge } = await begun();
    const signature = await owner.signMessage(challenge);
    sessions.refuses = true;
    await expect(verify(id, signature)).rejects.toThrow(InvalidSession);
    expect(events.types).toEqual([]);
    sessions.refuses = false;
    expect((await verify(id, signature)).wallet.userId).toBe(ann);
  });
});
