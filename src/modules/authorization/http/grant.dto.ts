import { ApiSchema } from '@nestjs/swagger';
import { IdOf } from '../../../edge/http/fields.js';
import { ManagementListQuery } from '../../../edge/http/list.dto.js';
import { WalletSpend } from '../../policy/index.js';
import { Example } from '../../../edge/openapi/plugin-schemas.js';
import { epochSeconds } from '../../../kernel/clock.js';
import { exampleId } from '../../../kernel/examples.js';
import type { GrantId, UserId } from '../../../kernel/ids.js';
import type { Page } from '../../../kernel/paging.js';
import type { ShownGrant } from '../domain/grant.js';
import { OauthClientOfUserResponse } from './interaction.dto.js';

export class ListManagedGrantsQuery extends ManagementListQuery {
  /** The id of a user: only the grants of this user are listed. */
  @IdOf('user', { optional: true })
  readonly user_id?: UserId;

  /** The id of the last grant of the previous page. */
  @IdOf('grant', { optional: true })
  readonly starting_after?: GrantId;
}

export class ListGrantsQuery extends ManagementListQuery {
  /** The user whose grants are listed. */
  @IdOf('user', { example: exampleId('user') })
  readonly user_id!: UserId;

  /** The id of the last grant of the previous page. */
  @IdOf('grant', { optional: true })
  readonly starting_after?: GrantId;
}

@ApiSchema({ description: 'What a user has consented to.' })
export class GrantResponse {
  @Example(exampleId('grant'))
  id!: string;
  /** The user who consented. */
  @Example(exampleId('user'))
  user_id!: string;
  /** The program that got them. */
  client!: OauthClientOfUserResponse;
  /** The scopes that the client got. */
  @Example(['openid', 'orders:read'])
  scopes!: string[];
  /** The audiences of the resources for which it gets tokens. */
  @Example(['https://orders.example.com'])
  resources!: string[];
  /** The budget, if the grant has one. */
  authorization_details!: WalletSpend[];
  created_at!: number;
  /**
   * The time at which the grant ends, in epoch seconds: that of the session in which the user consented. With
   * `offline_access` 30 days after the last use. With a budget not after its end.
   */
  expires_at!: number;

  static of({ id, userId, clientId, clientName, granted, ...grant }: ShownGrant): GrantResponse {
    return {
      id,
      user_id: userId,
      client: { id: clientId, name: clientName },
      scopes: [...new Set([...granted.user, ...Object.values(granted.resources).flat()])],
      resources: Object.keys(granted.resources),
      authorization_details: granted.budget ? [granted.budget.spend as WalletSpend] : [],
      created_at: epochSeconds(grant.createdAt),
      expires_at: epochSeconds(grant.endsAt),
    };
  }
}

@ApiSchema({ description: 'A page of the grants.' })
export class GrantListResponse {
  /** The grants, newest first. */
  grants!: GrantResponse[];
  has_more!: boolean;

  static of({ items, hasMore }: Page<ShownGrant>): GrantListResponse {
    return { grants: items.map((grant) => GrantResponse.of(grant)), has_more: hasMore };
  }
}

@ApiSchema({ description: 'The grant has ended.' })
export class GrantRevokedResponse {
  @Example(exampleId('grant'))
  id!: string;
  @Example('The grant was revoked.')
  message!: string;
}
