import { ApiSchema } from '@nestjs/swagger';
import { AtLeastOneOf } from '../../../edge/http/at-least-one-of.js';
import { ListOf } from '../../../edge/http/compound-fields.js';
import { Flag, OneOf, Token } from '../../../edge/http/fields.js';
import { inWords, WalletSpend } from '../../policy/index.js';
import { Example } from '../../../edge/openapi/plugin-schemas.js';
import { exampleId, EXAMPLES } from '../../../kernel/examples.js';
import type { Acceptance, ShownInteraction } from '../application/answer-interaction.js';
import { REJECTIONS } from '../domain/interaction.js';
import { MOST_SCOPES } from '../domain/oauth-resource.js';
import { Scope } from './oauth-resource.dto.js';

/** The program that asks. */
export class OauthClientOfUserResponse {
  /** The `client_id`. */
  @Example(exampleId('oauthClient'))
  id!: string;
  /** The name that users recognise. */
  @Example('Order import')
  name!: string;
}

/** The program that asks, with its logo. */
export class AskingClientResponse extends OauthClientOfUserResponse {
  /** The host of the document in which the client describes itself, to show beside the name; empty for a client that the app has registered. */
  @Example('')
  metadata_host!: string;
  /** The logo; empty if there is none. */
  @Example('')
  logo_uri!: string;
}

/** A budget that the client asks for. */
export class AskedBudgetResponse extends WalletSpend {
  /** The budget as a sentence, to show to the user. */
  @Example('Pay from the wallet in ethereum: at most 1 ethereum in any 1 day, for 30 days.')
  description!: string;
}

@ApiSchema({ description: 'The request that the user is asked to permit.' })
export class InteractionResponse {
  /** The program that asks. */
  client!: AskingClientResponse;
  /** The scopes that the client asks for. */
  @Example(['openid', 'email', 'orders:read'])
  scopes!: string[];
  /** The audiences of the resources that it asks for. */
  @Example(['https://orders.example.com'])
  resources!: string[];
  /** The budget that it asks for, if it does. Accepting it lets the client pay within the budget. */
  authorization_details!: AskedBudgetResponse[];
  /** How it asks the user to be prompted, as in the request; empty if it does not say. */
  @Example('')
  prompt!: string;
  /** The highest age of the sign-in in seconds; -1 if any will do. */
  @Example(-1)
  max_age!: number;
  /** The levels of authentication of which one is needed: `aal1`, `aal2`, `phr`; empty if any will do. */
  @Example('')
  acr_values!: string;
  /** The user whom the client expects; may be empty. */
  @Example('')
  login_hint!: string;
  /** The languages of the user; may be empty. */
  @Example('en')
  ui_locales!: string;
  /** The time at which the request expires, in epoch seconds. */
  expires_at!: number;

  static of({ interaction, client, requested, spend }: ShownInteraction): InteractionResponse {
    const { prompt = '', max_age: maxAge = -1, acr_values = '', login_hint = '', ui_locales = '' } = interaction.params;
    const { documentUrl, logoUri } = client.settings;
    return {
      client: {
        id: client.clientId,
        name: client.name,
        metadata_host: documentUrl === undefined ? '' : new URL(documentUrl).host,
        logo_uri: logoUri ?? '',
      },
      scopes: [...new Set([...requested.user, ...Object.values(requested.resources).flat()])],
      resources: Object.keys(requested.resources),
      authorization_details: spend ? [{ ...spend, description: inWords(spend) }] : [],
      prompt,
      max_age: Number(maxAge),
      acr_values,
      login_hint,
      ui_locales,
      expires_at: interaction.exp,
    };
  }
}

@AtLeastOneOf('session_token', 'session_jwt')
export class AcceptInteractionRequest {
  /** The token of a live session of the user. An empty string counts as absent. */
  @Token({ optional: true, example: EXAMPLES.token })
  readonly session_token?: string;

  /** A JWT of the session that has not expired. An empty string counts as absent. */
  @Token({ optional: true })
  readonly session_jwt?: string;

  /** The scopes to which the user consents, among those of the interaction; all of them if the list is absent. */
  @ListOf(Scope(), { min: 1, max: MOST_SCOPES, optional: true, example: ['openid'] })
  readonly granted_scopes?: string[];

  /**
   * Whether the browser keeps login and consent until the session ends, so that the next request of the client needs no page. Never for
   * clients on the user's device.
   */
  @Flag()
  readonly remember: boolean = false;

  static acceptanceOf({ session_token, session_jwt, granted_scopes, remember }: AcceptInteractionRequest): Acceptance {
    return {
      session: {
        ...(session_token !== undefined && { token: session_token }),
        ...(session_jwt !== undefined && { jwt: session_jwt }),
      },
      ...(granted_scopes && { grantedScopes: granted_scopes }),
      remember,
    };
  }
}

export class RejectInteractionRequest {
  /** The error that the client gets. */
  @OneOf(REJECTIONS, { example: 'access_denied' })
  readonly error!: (typeof REJECTIONS)[number];
}

@ApiSchema({ description: 'Where the login page sends the browser.' })
export class AnsweredInteractionResponse {
  /** The URL. It works only in the browser that began the request. */
  @Example('https://auth.example.com/oauth2/app_01k0000000000000000000d3m0/auth/uid?secret=…')
  redirect_url!: string;
}
