import { createHmac } from 'node:crypto';

/** The value of `webhook-signature` by Standard Webhooks 1.0: one signature for each key, separated by spaces. */
export function signatureOf(keys: readonly Buffer[], id: string, epochSeconds: number, body: string): string {
  return keys
    .map((key) => `v1,${createHmac('sha256', key).update(`${id}.${epochSeconds}.${body}`).digest('base64')}`)
    .join(' ');
}
