import { type Id, type IdKind, ID_PREFIXES } from './ids.js';

/** In development the demo app has an object with this id. */
export function exampleId<K extends IdKind>(kind: K): Id<K> {
  return exampleOf(kind, 0);
}

/** Examples with it do not change the first object. */
export function secondExampleId<K extends IdKind>(kind: K): Id<K> {
  return exampleOf(kind, 1);
}

function exampleOf<K extends IdKind>(kind: K, number: 0 | 1): Id<K> {
  return `${ID_PREFIXES[kind]}_01k0000000000000000000d3m${number}` as Id<K>;
}

/** The demo app of a development start accepts these values. */
export const EXAMPLES = {
  email: 'ada@example.com',
  phoneNumber: '+4915112345678',
  firstName: 'Ada',
  lastName: 'Lovelace',
  externalId: 'customer-1042',
  metadata: { plan: 'free' },
  provider: 'google',
  /** The second account of Anvil: its key is public, and a new local chain gives it 10,000 ether. */
  address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  privateKey: '59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d',
  otherAddress: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
  /** The purpose is part of a token's hash, so one text serves sessions, magic links and OAuth logins. */
  token: 'exampleTokenOfTheDemoAppInDevelopment00000000000',
  passcode: '123456',
  interaction: 'V1StGXR8_Z5jdHi6B-myT',
  recoveryCode: 'abcde-12345',
  password: 'correct horse battery staple',
  webhookUrl: 'http://localhost:3001/webhooks',
} as const;
