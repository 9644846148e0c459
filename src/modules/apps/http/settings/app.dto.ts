import { ApiSchema } from '@nestjs/swagger';
import { epochSeconds } from '../../../../kernel/clock.js';
import { ListOf, Nested } from '../../../../edge/http/compound-fields.js';
import { RESETTABLE } from '../../../../edge/http/field.js';
import { Flag, IdOf, OneOf, Text, WholeNumber } from '../../../../edge/http/fields.js';
import { EnumValues, Example } from '../../../../edge/openapi/plugin-schemas.js';
import { limitsInForce } from '../../domain/app-limits.js';
import {
  WALLET_TYPE_ALIASES,
  DEFAULT_WALLET_TYPES,
  type DefaultWalletType,
} from '../../../../kernel/chain/chain-name.js';
import { type App, type AppChanges, APPROVER_PASSKEY_HOURS, OAUTH_BEGINS, type OauthBegin } from '../../domain/app.js';
import { STEP_UP_BOUNDS, STEP_UPS, stepUpInForce, type StepUpCalls } from '../../domain/step-up-settings.js';
import { APP_MODES, type AppMode } from '../../domain/app-mode.js';
import type { ConfiguredNetworks } from '../../../../kernel/chain/networks.js';
import { acceptedPaymentsOf } from '../../domain/accepted-payments.js';
import {
  AssetRequest,
  assetsIn,
  AssetResponse,
  MaxAmountRequest,
  MaxAmountResponse,
  networksIn,
  transferPolicyIn,
  TransferPolicyRequest,
  TransferPolicyResponse,
} from './app-assets.dto.js';
import { limitsIn, LimitsRequest, LimitsResponse } from './limits.dto.js';
import { MessagesRequest, MessagesResponse, messagesIn } from './app-messages.dto.js';
import { SigningPolicyRequest, signingPolicyIn, SigningPolicyResponse } from './signing-policy.dto.js';
import { given } from '../wire-names.js';
import { exampleId } from '../../../../kernel/examples.js';
import type { ApprovalId } from '../../../../kernel/ids.js';

class AppSettingsRequest {
  /** The wallet a new user gets. */
  @OneOf(DEFAULT_WALLET_TYPES, { optional: true, aliases: WALLET_TYPE_ALIASES })
  readonly default_wallet_type?: DefaultWalletType;

  /**
   * The exact origins whose pages may call the public endpoints and sign in with a wallet. The request replaces the list; `null` empties
   * it.
   */
  @ListOf(Text({ min: 1, max: 2048 }), { max: 100, ...RESETTABLE })
  readonly allowed_origins?: string[] | null;

  /** The limits to change. */
  @Nested(() => LimitsRequest, { optional: true })
  readonly limits?: LimitsRequest;

  /** The appearance of mails and SMS; `null` restores the standard in everything. */
  @Nested(() => MessagesRequest, RESETTABLE)
  readonly messages?: MessagesRequest | null;

  /** The tokens that the app's wallets may pay with, besides the chains' own coins. The request replaces the list; `null` empties it. */
  @ListOf(Nested(() => AssetRequest), { max: 100, ...RESETTABLE })
  readonly assets?: AssetRequest[] | null;

  /** The networks that the app may use, by name. `null` restores the standard, `ethereum` and `solana`. */
  @ListOf(Text({ min: 1, max: 32 }), { max: 64, ...RESETTABLE })
  readonly networks?: string[] | null;

  /** The bounds on payments; `null` removes all of them. */
  @Nested(() => TransferPolicyRequest, RESETTABLE)
  readonly transfer_policy?: TransferPolicyRequest | null;

  /**
   * The largest payments for which a confirmation returns at the first block (`pending`, with `confirmed_at`). The request replaces the list;
   * `null` empties it.
   */
  @ListOf(Nested(() => MaxAmountRequest), { max: 100, ...RESETTABLE })
  readonly accept_confirmed?: MaxAmountRequest[] | null;

  /** The rules for signatures that move no funds by a transfer. */
  @Nested(() => SigningPolicyRequest, { optional: true })
  readonly signing_policy?: SigningPolicyRequest;

  /**
   * With `bound`, the start of a login through a provider needs `code_challenge` or `redirect=true`, so that no login ends in another
   * browser than the one that began it. `null` restores the default, `any`.
   */
  @OneOf(OAUTH_BEGINS, RESETTABLE)
  readonly oauth_begin?: OauthBegin | null;

  /**
   * The calls that need a fresh session where the user has a verified sign-in method and gains or loses one: `sessions`, those that
   * carry a session of the user; `always`, also those by the key of the app alone. `null` restores the default, `sessions`.
   */
  @OneOf(STEP_UPS, RESETTABLE)
  readonly step_up?: StepUpCalls | null;

  /**
   * The hours since the first proof of a sign-in method after which its proof makes a session fresh; the first method of an account does
   * so at once. `0` lets every method do so at once. `null` restores the default, 24.
   */
  @WholeNumber({ ...STEP_UP_BOUNDS.methodAgeHours, ...RESETTABLE })
  readonly step_up_method_age_hours?: number | null;

  /** Whether the app removes a sign-in method of a user only with a session of the user. `null` restores the default, false. */
  @Flag(RESETTABLE)
  readonly removal_needs_session?: boolean | null;

  /**
   * Whether the user is notified by mail, or by SMS where only a number is verified, when their account gains or loses a sign-in method.
   * `null` restores the default, true.
   */
  @Flag(RESETTABLE)
  readonly sign_in_method_messages?: boolean | null;

  /**
   * The hours after which a passkey that an approver has made after becoming a member of a group votes. `0` only in test apps; `null`
   * restores the default, 24. If the app has `policy_change`, fewer hours need an approval.
   */
  @WholeNumber({ min: APPROVER_PASSKEY_HOURS.min, max: APPROVER_PASSKEY_HOURS.max, unit: 'hours', ...RESETTABLE })
  readonly approver_passkey_hours?: number | null;

  /**
   * The hours from the beginning of a recovery of a user until the new address signs the user in. Meanwhile the user and operators can
   * cancel it. `null` restores the default, 48.
   */
  @WholeNumber({ ...STEP_UP_BOUNDS.recoveryWaitHours, ...RESETTABLE })
  readonly recovery_wait_hours?: number | null;
}

export class CreateAppRequest extends AppSettingsRequest {
  /** The name that users read in mails, and as the issuer in authenticator apps. */
  @Text({ min: 1, max: 256, pattern: /\S/, example: 'Corner shop' })
  readonly name!: string;

  /** The mode, which never changes: keys of the two modes belong to different apps. */
  @OneOf(APP_MODES)
  readonly mode: AppMode = 'test';
}

/** Settings to change. Settings that the request omits stay, and `null` empties a setting that can be empty. */
export class UpdateAppRequest extends AppSettingsRequest {
  /** The name that users read in mails, and as the issuer in authenticator apps. */
  @Text({ min: 1, max: 256, pattern: /\S/, optional: true, example: 'Corner shop' })
  readonly name?: string;

  /** The approval that the refused call (409 `approval_required`) named, once it is approved. Only a change of `policy_change` needs one. */
  @IdOf('approval', { optional: true })
  readonly approval_id?: ApprovalId;
}

/** The changes a request asks for. */
export function changesIn(
  {
    name,
    default_wallet_type,
    allowed_origins,
    limits,
    messages,
    assets,
    networks,
    transfer_policy,
    signing_policy,
    accept_confirmed,
    oauth_begin,
    approver_passkey_hours,
    ...request
  }: UpdateAppRequest,
  configured: ConfiguredNetworks,
): AppChanges {
  return given({
    name,
    defaultWalletType: default_wallet_type,
    allowedOrigins: allowed_origins === null ? [] : allowed_origins,
    limits: limits && limitsIn(limits),
    messages: messages === undefined ? undefined : messagesIn(messages),
    assets: assets === null ? [] : assets && assetsIn(assets, configured),
    networks: networks && networksIn(networks, configured),
    transferPolicy: transfer_policy === undefined ? undefined : transferPolicyIn(transfer_policy, configured),
    signingPolicy: signing_policy && signingPolicyIn(signing_policy),
    acceptConfirmed:
      accept_confirmed === undefined
        ? undefined
        : (assets) => acceptedPaymentsOf(accept_confirmed ?? [], assets, configured),
    oauthBegin: oauth_begin === null ? 'any' : oauth_begin,
    stepUp: stepUpIn(request),
    approverPasskeyHours: approver_passkey_hours,
  });
}

function stepUpIn({
  step_up: calls,
  step_up_method_age_hours: methodAgeHours,
  removal_needs_session: removalNeedsSession,
  sign_in_method_messages: notifiesUser,
  recovery_wait_hours: recoveryWaitHours,
}: Pick<
  UpdateAppRequest,
  'step_up' | 'step_up_method_age_hours' | 'removal_needs_session' | 'sign_in_method_messages' | 'recovery_wait_hours'
>): AppChanges['stepUp'] {
  const changes = given({ calls, methodAgeHours, removalNeedsSession, notifiesUser, recoveryWaitHours });
  // The audit log names the fields that a request changes.
  return Object.keys(changes).length > 0 ? changes : undefined;
}

@ApiSchema({ description: 'The app with its settings.' })
export class AppResponse {
  @Example(exampleId('app'))
  id!: string;
  /** The name that users read in mails, and as the issuer in authenticator apps. */
  @Example('Demo')
  name!: string;
  /** The mode, which never changes. Keys of a `test` app begin with `sk_test_` and `pk_test_`. */
  @EnumValues(APP_MODES)
  mode!: AppMode;
  /** The wallet that a new user gets. */
  @EnumValues(DEFAULT_WALLET_TYPES)
  default_wallet_type!: DefaultWalletType;
  /** The exact origins whose pages may call the public endpoints and sign in with a wallet. */
  @Example(['http://localhost:3001'])
  allowed_origins!: string[];
  /** The limits in force, defaults included. */
  limits!: LimitsResponse;
  /** The appearance of mails and SMS. */
  messages!: MessagesResponse;
  /** The tokens that the app's wallets may pay with, besides the chains' own coins. */
  assets!: AssetResponse[];
  /** The networks that the app may use; `null` is the standard: `ethereum` and `solana` if they are configured. */
  @Example(null)
  networks!: string[] | null;
  /** The bounds on payments. */
  transfer_policy!: TransferPolicyResponse;
  /** The largest payments for which a confirmation returns at the first block. */
  accept_confirmed!: MaxAmountResponse[];
  /** The rules for signatures. */
  signing_policy!: SigningPolicyResponse;
  /** With `bound`, the start of a login through a provider needs `code_challenge` or `redirect=true`. The default is `any`. */
  @EnumValues(OAUTH_BEGINS)
  oauth_begin!: OauthBegin;
  /** The calls that need a fresh session where the user gains or loses a sign-in method. The default is `sessions`. */
  @EnumValues(STEP_UPS)
  step_up!: StepUpCalls;
  /** The hours since the first proof of a sign-in method after which its proof makes a session fresh. The default is 24. */
  @Example(24)
  step_up_method_age_hours!: number;
  /** Whether the app removes a sign-in method of a user only with a session of the user. The default is false. */
  @Example(false)
  removal_needs_session!: boolean;
  /** Whether the user is notified when their account gains or loses a sign-in method. The default is true. */
  @Example(true)
  sign_in_method_messages!: boolean;
  /** The hours after which a passkey that an approver has made after becoming a member votes. The default is 24. */
  @Example(APPROVER_PASSKEY_HOURS.standard)
  approver_passkey_hours!: number;
  /** The hours from the beginning of a recovery of a user until the new address signs the user in. The default is 48. */
  @Example(48)
  recovery_wait_hours!: number;
  /** The time since which the wallets of the app sign nothing, in epoch seconds; `0` if they sign. */
  frozen_at!: number;
  updated_at!: number;
  created_at!: number;

  static of(app: App, ofModules: object): AppResponse {
    const stepUp = stepUpInForce(app.stepUp);
    return Object.assign(new AppResponse(), {
      id: app.id,
      name: app.name,
      mode: app.mode,
      default_wallet_type: app.defaultWalletType,
      allowed_origins: app.allowedOrigins,
      limits: LimitsResponse.of(limitsInForce(app.mode, app.limits)),
      messages: MessagesResponse.of(app.messages),
      assets: app.assets.map(AssetResponse.of),
      networks: app.networks,
      transfer_policy: TransferPolicyResponse.of(app.transferPolicy),
      signing_policy: SigningPolicyResponse.of(app.signingPolicy),
      accept_confirmed: Object.entries(app.acceptConfirmed).map(([currency, max_amount]) => ({ currency, max_amount })),
      oauth_begin: app.oauthBegin,
      step_up: stepUp.calls,
      step_up_method_age_hours: stepUp.methodAgeHours,
      removal_needs_session: stepUp.removalNeedsSession,
      sign_in_method_messages: stepUp.notifiesUser,
      approver_passkey_hours: app.approverPasskeyHours ?? APPROVER_PASSKEY_HOURS.standard,
      recovery_wait_hours: stepUp.recoveryWaitHours,
      frozen_at: epochSeconds(app.frozenAt),
      updated_at: epochSeconds(app.updatedAt),
      created_at: epochSeconds(app.createdAt),
      ...ofModules,
    });
  }
}

@ApiSchema({ description: 'The new app with its first keys, which are shown only once.' })
export class CreatedAppResponse extends AppResponse {
  /** The app's first secret key, which is shown only once. */
  @Example('sk_test_exampleKey')
  secret_key!: string;
  /** The app's first public token, which is shown only once. */
  @Example('pk_test_exampleToken')
  public_token!: string;
}

@ApiSchema({ description: 'A page of the apps.' })
export class AppListResponse {
  /** The apps, newest first. */
  apps!: AppResponse[];
  has_more!: boolean;
}
