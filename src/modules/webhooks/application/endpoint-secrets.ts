import { createHmac, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { AppId, WebhookEndpointId } from '../../../kernel/ids.js';
import { SealBroken, type SealContext, type Sealed, SealedColumns, Vault } from '../../../kernel/vault.js';
import type { WebhookEndpoint } from '../domain/webhook-endpoint.js';

const SECRET_BYTES = 32;
const PREFIX = 'whsec_';

type Column = 'sealed_secret' | 'sealed_previous_secret';
type EndpointOfSecret = Pick<WebhookEndpoint, 'appId' | 'id'>;
type SigningEndpoint = EndpointOfSecret & Pick<WebhookEndpoint, 'sealedSecret' | 'sealedPreviousSecret'>;

/** The secrets that sign the events for an endpoint, each sealed to its row and column. */
@Injectable()
export class EndpointSecrets {
  constructor(
    private readonly vault: Vault,
    sealedColumns: SealedColumns,
  ) {
    for (const column of ['sealed_secret', 'sealed_previous_secret'] as const) {
      sealedColumns.register({
        table: 'webhook_endpoints',
        column,
        key: ['app_id', 'id'],
        context: (row) => contextOf({ appId: row['app_id'] as AppId, id: row['id'] as WebhookEndpointId }, column),
      });
    }
  }

  ready(appId: AppId): Promise<void> {
    return this.vault.ready(appId);
  }

  mint(endpoint: EndpointOfSecret): { readonly text: string; readonly sealed: Sealed } {
    const secret = randomBytes(SECRET_BYTES);
    const text = PREFIX + secret.toString('base64');
    return { text, sealed: this.vault.seal(secret, contextOf(endpoint, 'sealed_secret')) };
  }

  asPrevious(endpoint: EndpointOfSecret & Pick<WebhookEndpoint, 'sealedSecret'>): Sealed {
    const secret = this.vault.open(endpoint.sealedSecret, contextOf(endpoint, 'sealed_secret'));
    return this.vault.seal(secret, contextOf(endpoint, 'sealed_previous_secret'));
  }

  keys(endpoint: SigningEndpoint): Buffer[] {
    const current = this.vault.open(endpoint.sealedSecret, contextOf(endpoint, 'sealed_secret'));
    if (!endpoint.sealedPreviousSecret) return [current];
    return [current, this.vault.open(endpoint.sealedPreviousSecret, contextOf(endpoint, 'sealed_previous_secret'))];
  }

  /** The value of `webhook-signature` (Standard Webhooks 1.0). Null when a seal does not open; the vault has raised its alarm. */
  signatures(endpoint: SigningEndpoint, id: string, epochSeconds: number, body: string): string | null {
    try {
      return this.keys(endpoint)
        .map((key) => `v1,${createHmac('sha256', key).update(`${id}.${epochSeconds}.${body}`).digest('base64')}`)
        .join(' ');
    } catch (error) {
      if (error instanceof SealBroken) return null;
      throw error;
    }
  }
}

function contextOf({ appId, id }: EndpointOfSecret, column: Column): SealContext {
  return ['webhook-endpoint', appId, id, column];
}
