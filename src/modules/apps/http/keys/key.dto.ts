import { ApiSchema } from '@nestjs/swagger';
import type { IssuedKey, ReplacedKey } from '../../application/manage-api-keys.js';
import { epochSeconds } from '../../../../kernel/clock.js';
import { ListOf } from '../../../../edge/http/compound-fields.js';
import { EpochSeconds, IdOf, MinutesWithin, Network, OneOf, Text, WholeNumber } from '../../../../edge/http/fields.js';
import { InvalidRequest } from '../../../../kernel/errors.js';
import type { KeyId, UserId, WalletId } from '../../../../kernel/ids.js';
import { KEY_SCOPES, type KeyRestriction, type KeyScope } from '../../../../kernel/key-restriction.js';
import { EnumValues, Example } from '../../../../edge/openapi/plugin-schemas.js';
import { type ApiKey, KEY_KINDS, type KeyKind, type KeyOptions } from '../../domain/api-key.js';
import { exampleId } from '../../../../kernel/examples.js';

const MOST_WALLETS = 100;
const MOST_NETWORKS = 50;
const MOST_CALLS = 100_000;
const OVERLAP = { min: 0, max: 43_200, standard: 1_440 } as const;

const OF_RESTRICTED_KEYS = ['scopes', 'user_id', 'wallet_ids', 'ip_ranges', 'rate'] as const;

export class CreateKeyRequest {
  /**
   * The kind of key: `secret` for a backend, `public` for the start of a login in a browser, `restricted` for a program that needs only
   * some calls or only some objects.
   */
  @OneOf(KEY_KINDS)
  readonly kind!: KeyKind;

  /** A name by which operators recognise the key. */
  @Text({ max: 256 })
  readonly name: string = '';

  /** The time from which the key is refused, in epoch seconds. If it is `0` or absent, the key is valid until it is revoked. */
  @EpochSeconds({ optional: true })
  readonly expires_at?: Date;

  /** The calls that a restricted key may make, by their scopes in this document. No scope includes another one. */
  @ListOf(OneOf(KEY_SCOPES), { min: 1, max: KEY_SCOPES.length, optional: true })
  readonly scopes?: KeyScope[];

  /** The only user whom a restricted key sees. Another object is treated as unknown. */
  @IdOf('user', { optional: true })
  readonly user_id?: UserId;

  /** The only wallets that a restricted key sees. With `user_id` they must belong to that user. */
  @ListOf(IdOf('wallet'), { min: 1, max: MOST_WALLETS, optional: true })
  readonly wallet_ids?: WalletId[];

  /** The networks from which a restricted key may be used, in CIDR notation. If absent, from every network. */
  @ListOf(Network(), { min: 1, max: MOST_NETWORKS, optional: true })
  readonly ip_ranges?: string[];

  /** The maximum number of calls per second with a restricted key, counted by each replica beside the limit of the app. */
  @WholeNumber({ min: 1, max: MOST_CALLS, unit: 'calls per second', optional: true })
  readonly rate?: number;

  /**
   * The key of the same kind that the new one replaces. It ends after `overlap_minutes`, unless it ends earlier. Nothing of it passes to
   * the new one: its policies do not apply to that, open approvals that it asked for become void, and its webhook endpoints pass to the app,
   * disabled.
   */
  @IdOf('key', { optional: true })
  readonly replaces?: KeyId;

  /** The number of minutes for which the key in `replaces` is accepted beside the new one, 1440 if absent. */
  @MinutesWithin(OVERLAP, { optional: true })
  readonly overlap_minutes?: number;

  /** Throws `InvalidRequest` for an overlap with no key. */
  static replacedIn({ replaces, overlap_minutes }: CreateKeyRequest): ReplacedKey | undefined {
    if (replaces !== undefined) return { id: replaces, overlapMinutes: overlap_minutes ?? OVERLAP.standard };
    if (overlap_minutes === undefined) return undefined;
    const message = 'must be absent unless replaces names a key';
    throw new InvalidRequest([{ field: 'overlap_minutes', rule: 'replaces', message }]);
  }

  /** Throws `InvalidRequest` if a restricted key has no scopes, or if another key has a field of restricted keys. */
  static optionsIn(request: CreateKeyRequest): KeyOptions {
    const { kind, name, expires_at } = request;
    const expiresAt = expires_at && expires_at.getTime() > 0 ? expires_at : null;
    if (kind === 'restricted') return { kind, name, expiresAt, restriction: restrictionIn(request) };
    const misplaced = OF_RESTRICTED_KEYS.filter((field) => request[field] !== undefined);
    if (misplaced.length === 0) return { kind, name, expiresAt };
    throw new InvalidRequest(
      misplaced.map((field) => ({ field, rule: 'kind', message: 'must be absent unless kind is restricted' })),
    );
  }
}

function restrictionIn({ scopes, user_id, wallet_ids, ip_ranges, rate }: CreateKeyRequest): KeyRestriction {
  if (!scopes) throw new InvalidRequest([{ field: 'scopes', rule: 'required', message: 'is required' }]);
  const isBound = user_id !== undefined || wallet_ids !== undefined;
  return {
    scopes: [...new Set(scopes)],
    binding: isBound ? { userId: user_id ?? null, walletIds: wallet_ids ? [...new Set(wallet_ids)] : null } : null,
    ipRanges: [...new Set(ip_ranges)],
    callsPerSecond: rate ?? null,
  };
}

export class KeyResponse {
  @Example(exampleId('key'))
  id!: string;
  /** The kind of key: `secret`, `public` or `restricted`. Only a restricted key has the members from `scopes` on. */
  @EnumValues(KEY_KINDS)
  kind!: KeyKind;
  /** The name by which operators recognise the key; may be empty. */
  @Example('Staging')
  name!: string;
  created_at!: number;
  /** The time from which the key is refused, in epoch seconds; `0` if it is valid until it is revoked. */
  expires_at!: number;
  /** The time of the last use in epoch seconds, exact to the minute; `0` if the key was never used. */
  last_used_at!: number;
  /** The scopes of the calls that the key may make. */
  @EnumValues(KEY_SCOPES)
  scopes?: KeyScope[];
  /** The user to whom the key is bound; empty if it is bound to none. */
  user_id?: string;
  /** The wallets to which the key is bound; empty if it is bound to none. */
  wallet_ids?: string[];
  /** The networks from which the key may be used; empty if from every network. */
  ip_ranges?: string[];
  /** The maximum number of calls per second with the key; null if only the limit of the app applies. */
  rate?: number | null;

  static of({ id, kind, name, restriction, createdAt, expiresAt, lastUsedAt }: ApiKey): KeyResponse {
    return {
      id,
      kind,
      name,
      created_at: epochSeconds(createdAt),
      expires_at: epochSeconds(expiresAt),
      last_used_at: epochSeconds(lastUsedAt),
      ...(restriction && {
        scopes: [...restriction.scopes],
        user_id: restriction.binding?.userId ?? '',
        wallet_ids: [...(restriction.binding?.walletIds ?? [])],
        ip_ranges: [...restriction.ipRanges],
        rate: restriction.callsPerSecond,
      }),
    };
  }
}

@ApiSchema({ description: 'The new key with its text, which is shown only once.' })
export class CreatedKeyResponse extends KeyResponse {
  /** The text of the key, which is shown only once. */
  @Example('sk_test_exampleKey')
  key!: string;

  static ofIssued({ key, text }: IssuedKey): CreatedKeyResponse {
    return { ...KeyResponse.of(key), key: text };
  }
}

@ApiSchema({ description: 'A page of the keys that are not revoked, without their texts.' })
export class KeyListResponse {
  /** The keys that are not revoked, newest first. */
  keys!: KeyResponse[];
  has_more!: boolean;
}
