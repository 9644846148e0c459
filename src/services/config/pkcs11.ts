import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type EnvironmentReader, listed } from './environment-reader.js';

export interface Pkcs11Settings {
  readonly module: string;
  readonly token: string;
  readonly pin: string;
  /** AES keys in the token. The first wraps, all open. */
  readonly keys: readonly string[];
}

export function pkcs11In(read: EnvironmentReader, isRequired: boolean): Pkcs11Settings | undefined {
  const names = ['PKCS11_MODULE', 'PKCS11_TOKEN', 'PKCS11_PIN', 'PKCS11_KEY'];
  const [module, token, pin, keys] = read.texts(...names);
  if (!isRequired && module === undefined) return undefined;
  if (module === undefined || token === undefined || pin === undefined || keys === undefined) {
    read.faults.push(`KEY_PROVIDER pkcs11 needs ${listed(names)}.`);
    return undefined;
  }
  if (!existsSync(module)) read.faults.push('PKCS11_MODULE must be the path of a PKCS#11 module.');
  if (!hasPkcs11Package())
    read.faults.push(
      'KEY_PROVIDER pkcs11 needs the package pkcs11js, which npm builds if Python and a C++ compiler are present.',
    );
  return { module, token, pin, keys: keys.split(',').map((label) => label.trim()) };
}

/** Only the process that uses the add-on loads it. */
function hasPkcs11Package(): boolean {
  try {
    createRequire(import.meta.url).resolve('pkcs11js/build/Release/pkcs11.node');
    return true;
  } catch {
    return false;
  }
}
