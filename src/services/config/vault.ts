import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { EnvironmentReader } from './environment-reader.js';

export interface VaultSettings {
  readonly url: string;
  readonly key: string;
  readonly auth: { readonly token: string } | { readonly roleId: string; readonly secretId: string };
  readonly namespace: string | undefined;
  readonly ca: string | undefined;
}

export function vaultTransitIn(read: EnvironmentReader, isRequired: boolean): VaultSettings | undefined {
  const url = read.secretUrl('VAULT_ADDR');
  const key = read.matching(
    'VAULT_TRANSIT_KEY',
    /^([\w-]+\/)*[\w.-]+$/,
    'the name of a key, after its mount if that is not transit',
  );
  const [token, roleId, secretId] = read.texts('VAULT_TOKEN', 'VAULT_ROLE_ID', 'VAULT_SECRET_ID');
  const [namespace, caFile] = read.texts('VAULT_NAMESPACE', 'VAULT_CACERT');
  if (!isRequired && key === undefined) return undefined;
  const hasRole = roleId !== undefined && secretId !== undefined;
  if (url === undefined || key === undefined || (token !== undefined) === hasRole) {
    read.faults.push(
      'KEY_PROVIDER vault needs VAULT_ADDR, VAULT_TRANSIT_KEY, and either VAULT_TOKEN or both VAULT_ROLE_ID and VAULT_SECRET_ID.',
    );
    return undefined;
  }
  return {
    url,
    key,
    auth: hasRole ? { roleId, secretId } : { token: token! },
    namespace,
    ca: caFile === undefined ? undefined : certificates(read, 'VAULT_CACERT', caFile),
  };
}

function certificates(read: EnvironmentReader, name: string, path: string): string | undefined {
  try {
    const text = readFileSync(path, 'utf8');
    const found = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
    const certificates = found.map((certificate) => new X509Certificate(certificate));
    if (certificates.length > 0) return text;
  } catch {
    // The fault is the same for a file that cannot be read and for one with something else.
  }
  read.faults.push(`${name} must be the path of a file with one or more certificates in PEM that can be read.`);
  return undefined;
}
