import { ApiSchema } from '@nestjs/swagger';
import { JsonObject } from '../../../../edge/http/compound-fields.js';
import { IdOf, MAX_LENGTH, OneOf, Text } from '../../../../edge/http/fields.js';
import { EnumValues, Example } from '../../../../edge/openapi/plugin-schemas.js';
import { formatAmount } from '../../../../kernel/chain/asset.js';
import { InvalidRequest } from '../../../../kernel/errors.js';
import { exampleId, EXAMPLES } from '../../../../kernel/examples.js';
import type { KeyId, UserId, WalletId } from '../../../../kernel/ids.js';
import {
  DENIAL_REASONS,
  EFFECTS,
  OPERATIONS,
  type Operation,
  type Preview,
  SETTINGS_REASONS,
} from '../../../policy/index.js';
import type { EthTransaction, TypedData } from '../../../wallet/index.js';
import type { AskedUse } from '../application/evaluate-policies.js';

export class EvaluateRequest {
  /** The use of the key. It decides which of the fields below are read. */
  @OneOf(OPERATIONS, { example: 'transfer' })
  readonly operation!: Operation;

  /** The wallet whose key is used. */
  @IdOf('wallet')
  readonly wallet_id!: WalletId;

  /** The required owner of the wallet. */
  @IdOf('user', { optional: true })
  readonly user_id?: UserId;

  /** The key of the app that asks. Without it, no policy of a key applies. */
  @IdOf('key', { optional: true })
  readonly key_id?: KeyId;

  /** The address to pay, of a `transfer`. */
  @Text({ min: 1, max: 128, optional: true, example: EXAMPLES.otherAddress })
  readonly dest?: string;

  /** The amount of a `transfer`: a decimal number in digits. */
  @Text({ min: 1, max: 128, optional: true, example: '0.25' })
  readonly source_amount?: string;

  /** The currency of a `transfer`: a coin or an asset of the app, by name or symbol. */
  @Text({ min: 1, max: 64, optional: true, example: 'ethereum' })
  readonly source_currency?: string;

  /** The network of a `transfer`. */
  @Text({ min: 1, max: 32, optional: true, example: 'ethereum' })
  readonly network?: string;

  /** The message of `sign_message`. */
  @Text({ max: MAX_LENGTH.message, optional: true })
  readonly message?: string;

  /** The typed data of `sign_typed_data` (EIP-712). */
  @JsonObject({ optional: true })
  readonly typed_data?: TypedData;

  /** The transaction of `sign_transaction` (EIP-1559). */
  @JsonObject({ optional: true })
  readonly eth_transaction?: EthTransaction;

  /** Throws `InvalidRequest`. */
  static useIn(body: EvaluateRequest): AskedUse {
    const { operation } = body;
    const needed = <F extends keyof EvaluateRequest>(field: F): NonNullable<EvaluateRequest[F]> => {
      const value = body[field];
      if (value !== undefined) return value as NonNullable<EvaluateRequest[F]>;
      throw new InvalidRequest([{ field, rule: 'required', message: `is required for ${operation}` }]);
    };
    if (operation === 'transfer')
      return {
        operation,
        dest: needed('dest'),
        amount: needed('source_amount'),
        currency: needed('source_currency'),
        network: body.network,
      };
    if (operation === 'sign_message') return { operation, message: needed('message') };
    if (operation === 'sign_typed_data') return { operation, typedData: needed('typed_data') };
    if (operation === 'sign_transaction') return { operation, transaction: needed('eth_transaction') };
    return { operation };
  }
}

@ApiSchema({ description: 'The sum of a window, which the request would add to.' })
export class WindowResponse {
  @Example(exampleId('policy'))
  policy_id!: string;
  /** The rule. */
  @Example('small-payments')
  rule_id!: string;
  /** The length of the period. */
  seconds!: number;
  /** Whether it bounds the amount or the number of requests. */
  @EnumValues(['amount', 'count'])
  bounds!: string;
  /** The destination that it counts apart; empty if it counts all together. */
  @Example('')
  destination!: string;
  /** The spent part: a decimal number of the asset's units, or a number of requests. */
  @Example('0.25')
  used!: string;
  /** The part of requests whose end is not known, as `used`. */
  @Example('0')
  held!: string;
  /** The limit, as `used`. */
  @Example('1')
  limit!: string;
  /** The time at which the oldest spent amount leaves the window, in epoch seconds; `0` if nothing is spent. */
  ends_at!: number;
}

@ApiSchema({
  description: 'The outcome that a request would have by the settings and policies. Nothing is decided or stored.',
})
export class EvaluateResponse {
  /** The outcome. */
  @EnumValues(EFFECTS)
  outcome!: string;
  /** The version whose rule decides; null if none does. */
  @Example(exampleId('policy'))
  policy_id!: string | null;
  /** The number of that version. */
  @Example(1)
  version!: number | null;
  /** The rule that decides; null if none does. */
  @Example('small-payments')
  rule_id!: string | null;
  /** The reason of a denial; empty otherwise. Of a denial by the app's settings, the type of the error of the call. */
  @EnumValues(['', ...DENIAL_REASONS, ...SETTINGS_REASONS])
  reason!: string;
  /** The windows of the rules that would let it pass. */
  windows!: WindowResponse[];

  static of({ verdict, windows }: Preview): EvaluateResponse {
    const by = verdict.outcome === 'allow' ? verdict.by[0] : verdict.by;
    return Object.assign(new EvaluateResponse(), {
      outcome: verdict.outcome,
      policy_id: by?.policy.id ?? null,
      version: by?.policy.version ?? null,
      rule_id: by?.rule.id ?? null,
      reason: verdict.outcome === 'deny' ? verdict.reason : '',
      windows: windows.flatMap(windowsOf),
    });
  }
}

/** One for each bound of a window. */
function windowsOf({ of, window, destination, all, held, oldest }: Preview['windows'][number]): WindowResponse[] {
  const { seconds, maxAmount, maxCount } = window;
  const { decimals } = of.rule.match.assets?.[0] ?? { decimals: 0 };
  const amount = (units: bigint) => formatAmount(units, { decimals });
  const shown = (bounds: string, used: string, heldOfIt: string, limit: string): WindowResponse => ({
    policy_id: of.policy.id,
    rule_id: of.rule.id,
    seconds,
    bounds,
    destination: destination ?? '',
    used,
    held: heldOfIt,
    limit,
    ends_at: oldest ? Math.ceil(oldest.getTime() / 1000) + seconds : 0,
  });
  const ofAmount =
    maxAmount === null
      ? []
      : [shown('amount', amount(all.amount - held.amount), amount(held.amount), amount(maxAmount))];
  const ofCount =
    maxCount === null ? [] : [shown('count', `${all.count - held.count}`, `${held.count}`, `${maxCount}`)];
  return [...ofAmount, ...ofCount];
}
