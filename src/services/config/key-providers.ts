import { awsKmsIn, type AwsKmsSettings } from './aws-kms.js';
import type { EnvironmentReader } from './environment-reader.js';
import { pkcs11In, type Pkcs11Settings } from './pkcs11.js';
import { vaultTransitIn, type VaultSettings } from './vault.js';

export const PROVIDERS = ['vault', 'aws-kms', 'pkcs11'] as const;
export type ProviderName = (typeof PROVIDERS)[number];

/** Master keys seal, and the configured providers open earlier values. */
export const MASTER_KEYS = 'master-keys';
export const KEY_HOLDERS = [MASTER_KEYS, ...PROVIDERS] as const;

export interface KeyProviderSettings {
  /** Absent while values are moved back to the master keys. */
  readonly current: ProviderName | undefined;
  readonly vault?: VaultSettings;
  readonly awsKms?: AwsKmsSettings;
  readonly pkcs11?: Pkcs11Settings;
}

/** Providers other than the current one only open values that were sealed by them. */
export function keyProvidersIn(read: EnvironmentReader): KeyProviderSettings | undefined {
  const name = read.text('KEY_PROVIDER');
  if (name === undefined) return undefined;
  const current = PROVIDERS.find((each) => each === name);
  if (!current && name !== MASTER_KEYS) {
    read.faults.push(`KEY_PROVIDER must be one of ${[...PROVIDERS, MASTER_KEYS].join(', ')}.`);
    return undefined;
  }
  const vault = vaultTransitIn(read, current === 'vault');
  const awsKms = awsKmsIn(read, current === 'aws-kms');
  const pkcs11 = pkcs11In(read, current === 'pkcs11');
  return { current, ...(vault && { vault }), ...(awsKms && { awsKms }), ...(pkcs11 && { pkcs11 }) };
}
