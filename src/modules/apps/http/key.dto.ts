import { ApiSchema } from '@nestjs/swagger';
import type { IssuedKey, KeyOptions } from '../application/manage-api-keys.js';
import { epochSeconds } from '../../../kernel/clock.js';
import { EpochSeconds, OneOf, Text } from '../../../edge/http/fields.js';
import { EnumValues, Example } from '../../../edge/openapi/plugin-schemas.js';
import { type ApiKey, KEY_KINDS, type KeyKind } from '../domain/api-key.js';
import type { Page } from '../../../kernel/paging.js';
import { exampleId } from '../../../kernel/examples.js';

export class CreateKeyRequest {
  /** The kind of key: `secret` for a backend, `public` for the begin of a login in a browser. */
  @OneOf(KEY_KINDS)
  readonly kind!: KeyKind;

  /** A name by which operators recognise the key. */
  @Text({ max: 256 })
  readonly name: string = '';

  /** The time from which the key is refused, in epoch seconds. If it is `0` or absent, the key is valid until it is revoked. */
  @EpochSeconds({ optional: true })
  readonly expires_at?: Date;

  static optionsIn({ kind, name, expires_at }: CreateKeyRequest): KeyOptions {
    return { kind, name, expiresAt: expires_at && expires_at.getTime() > 0 ? expires_at : null };
  }
}

export class KeyResponse {
  @Example(exampleId('key'))
  id!: string;
  /** The kind of key: `secret` for a backend, `public` for the begin of a login in a browser. */
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

  static of({ id, kind, name, createdAt, expiresAt, lastUsedAt }: ApiKey): KeyResponse {
    return Object.assign(new KeyResponse(), {
      id,
      kind,
      name,
      created_at: epochSeconds(createdAt),
      expires_at: epochSeconds(expiresAt),
      last_used_at: epochSeconds(lastUsedAt),
    });
  }
}

@ApiSchema({ description: 'The new key with its text, which is shown only once.' })
export class CreatedKeyResponse extends KeyResponse {
  /** The text of the key, which is shown only once. */
  @Example('sk_test_exampleKey')
  key!: string;

  static ofIssued({ key, text }: IssuedKey): CreatedKeyResponse {
    return Object.assign(new CreatedKeyResponse(), KeyResponse.of(key), { key: text });
  }
}

@ApiSchema({ description: 'A page of the keys that are not revoked, without their texts.' })
export class KeyListResponse {
  /** The keys that are not revoked, newest first. */
  keys!: KeyResponse[];
  has_more!: boolean;

  static of({ items, hasMore }: Page<ApiKey>): KeyListResponse {
    return Object.assign(new KeyListResponse(), { keys: items.map((key) => KeyResponse.of(key)), has_more: hasMore });
  }
}
