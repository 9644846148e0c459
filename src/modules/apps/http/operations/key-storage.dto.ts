import { ApiSchema } from '@nestjs/swagger';
import { EnumValues, Example } from '../../../../edge/openapi/plugin-schemas.js';
import { epochSeconds } from '../../../../kernel/clock.js';
import type { ProviderState } from '../../../../services/crypto/bounded-provider.js';
import type { LastEscrow } from '../../../../services/crypto/escrow/escrow-table.js';
import { PROVIDER_FAULTS, type ProviderFault } from '../../../../services/crypto/key-provider.js';
import { KEY_HOLDERS, type ProviderName, PROVIDERS } from '../../../../services/config/key-providers.js';
import type { KeyStatus } from '../../../../services/crypto/key-status.js';

export class KeyProviderResponse {
  /** The kind of the provider. */
  @EnumValues(PROVIDERS)
  readonly name!: ProviderName;
  /** The result of the last call: `ok`, `unavailable`, or `unknown` before the first one. */
  @EnumValues(['ok', 'unavailable', 'unknown'])
  readonly status!: string;
  /** Why the last call failed; null if it did not. */
  @EnumValues(PROVIDER_FAULTS)
  @Example(null)
  readonly fault!: ProviderFault | null;
  /** The time since which calls fail, in epoch seconds; 0 if the last one did not. */
  @Example(0)
  readonly failing_since!: number;
  /** The time of the last call, in epoch seconds; 0 before the first one. */
  @Example(1_767_225_600)
  readonly checked_at!: number;

  static of({ name, fault, failingSince, checkedAt }: ProviderState & { name: ProviderName }): KeyProviderResponse {
    return {
      name,
      status: fault ? 'unavailable' : checkedAt ? 'ok' : 'unknown',
      fault: fault?.fault ?? null,
      failing_since: epochSeconds(failingSince),
      checked_at: epochSeconds(checkedAt),
    };
  }
}

/** Keys of apps that a provider has wrapped. */
export class AppKeysResponse {
  /** The kind of the provider. */
  @Example('vault')
  readonly provider!: string;
  /** The generation of the keys. */
  readonly generation!: number;
  /** The number of apps with such a key. The service itself counts as one. */
  @Example(12)
  readonly apps!: number;
}

/** Sealed values with the same holder of their key. */
export class SealedValuesResponse {
  /** The holder of the key; `unknown` for altered values, which name none. */
  @EnumValues([...KEY_HOLDERS, 'unknown'])
  @Example('vault')
  readonly sealed_by!: string;
  /** The id of the master key; empty for the keys of a provider. */
  @Example('')
  readonly master_key!: string;
  /** The number of values. */
  @Example(340)
  readonly values!: number;
  /** Whether it seals new values. The settings of another one must stay until its values are moved. */
  @Example(true)
  readonly is_current!: boolean;
}

/** A file with the keys of the provider's apps. */
export class KeyEscrowResponse {
  readonly created_at!: number;
  /** The number of keys in it. */
  @Example(12)
  readonly keys!: number;
  /** The number of private keys that open it together. */
  @Example(2)
  readonly threshold!: number;
  /** The number of its recipients. */
  @Example(3)
  readonly recipients!: number;
  /** The number of keys that were made or restored since, which it may lack. */
  @Example(0)
  readonly newer_keys!: number;

  static of({ createdAt, keys, threshold, recipients, newer }: LastEscrow): KeyEscrowResponse {
    return { created_at: epochSeconds(createdAt), keys, threshold, recipients, newer_keys: newer };
  }
}

@ApiSchema({ description: 'Where the keys are that protect all secrets.' })
export class KeyStorageResponse {
  /** The holder of the keys that seal new values. */
  @EnumValues(KEY_HOLDERS)
  @Example('vault')
  readonly provider!: string;
  /** The providers of the configuration. */
  readonly providers!: KeyProviderResponse[];
  /** The keys of apps that are not retired; none under master keys. */
  readonly app_keys!: AppKeysResponse[];
  /** The sealed values at the last count that was completed; empty before the first one. */
  readonly sealed_values!: SealedValuesResponse[];
  /** The time of that count, in epoch seconds; 0 before the first one. */
  @Example(1_767_225_600)
  readonly counted_at!: number;
  /** The time of the last count if it failed, in epoch seconds; 0 otherwise. */
  @Example(0)
  readonly count_failed_at!: number;
  /** Whether the replica counts the values now. */
  @Example(false)
  readonly is_counting!: boolean;
  /** The last escrow of the keys of the provider; null if none was made. */
  readonly escrow!: KeyEscrowResponse | null;

  static async of(keys: KeyStatus): Promise<KeyStorageResponse> {
    const { holder, providers, apps, escrow } = await keys.read();
    const { values, at, failedAt, isCounting } = keys.countedValues();
    return {
      provider: holder,
      providers: providers.map(KeyProviderResponse.of),
      app_keys: Object.entries(apps).map(([key, count]) => {
        const [provider, generation] = key.split(':');
        return { provider: provider!, generation: Number(generation), apps: count };
      }),
      sealed_values: values.map((row) => ({
        sealed_by: row.holder,
        master_key: row.masterKey,
        values: row.values,
        is_current: keys.isCurrent(row),
      })),
      counted_at: epochSeconds(at),
      count_failed_at: epochSeconds(failedAt),
      is_counting: isCounting,
      escrow: escrow && KeyEscrowResponse.of(escrow),
    };
  }
}
