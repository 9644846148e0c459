import { createPrivateKey } from 'node:crypto';
import { Vault } from '../../src/kernel/vault.js';
import type { TestApp } from '../support/app.js';
import type { Observer } from '../support/observer.js';

/** The key that signs the JWTs of an app, as only the service can open it. */
export async function signingKeyOf(service: TestApp, observer: Observer, appId: string) {
  const [row] = await observer.rows<{ id: string; sealed: Buffer }>(
    `select id, sealed_private_key as sealed from signing_keys where app_id = $1 and state = 'current'`,
    [appId],
  );
  const plain = service.nest.get(Vault, { strict: false }).open(row!.sealed, ['signing-key', appId, row!.id]);
  return { kid: row!.id, key: createPrivateKey({ key: plain, format: 'der', type: 'pkcs8' }) };
}
