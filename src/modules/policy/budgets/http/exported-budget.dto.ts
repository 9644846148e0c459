import { Injectable } from '@nestjs/common';
import { Closed } from '../../../../edge/http/closed.js';
import { ListOf, Nested } from '../../../../edge/http/compound-fields.js';
import { IdOf, OneOf, Text, WholeNumber } from '../../../../edge/http/fields.js';
import { ValidationPipe } from '../../../../edge/http/validation.pipe.js';
import { EXAMPLES, exampleId } from '../../../../kernel/examples.js';
import type { AppId, WalletId } from '../../../../kernel/ids.js';
import { AppsFacade } from '../../../apps/index.js';
import { BOUNDS, type Rule } from '../../rules/domain/policy.js';
import { Networks } from '../../rules/domain/networks.js';
import { type PolicyRule, rulesIn, RuleWindow } from '../../rules/http/rule.dto.js';

const LIST = { min: 1, max: BOUNDS.members, optional: true } as const;
export const WALLET_SPEND = 'wallet_spend';

/** A budget that a client asks for (RFC 9396): payments of one wallet, and nothing else. */
export class WalletSpend {
  /** The kind of the authorization. */
  @OneOf([WALLET_SPEND], { example: WALLET_SPEND })
  readonly type!: typeof WALLET_SPEND;

  /** A wallet of the user. */
  @IdOf('wallet', { example: exampleId('wallet') })
  readonly wallet_id!: WalletId;

  /** The networks on which is paid; all of them if the list is absent. */
  @ListOf(Text({ min: 1, max: 32 }), { ...LIST, example: ['ethereum'] })
  readonly networks?: string[];

  /** The currencies; all of them if the list is absent. */
  @ListOf(Text({ min: 1, max: 32 }), { ...LIST, example: ['ethereum'] })
  readonly assets?: string[];

  /** The addresses that may be paid; all of them if the list is absent. */
  @ListOf(Text({ min: 1, max: 128 }), { ...LIST, example: [EXAMPLES.otherAddress] })
  readonly destinations?: string[];

  /** The most that is paid in a period. `max_amount` needs exactly one asset. */
  @ListOf(Nested(() => RuleWindow), { min: 1, max: BOUNDS.windows })
  readonly windows!: RuleWindow[];

  /** The number of seconds after which the budget ends, with its grant. */
  @WholeNumber({ ...BOUNDS.seconds, unit: 'seconds', example: 86_400 })
  readonly expires_in!: number;
}

/** A misspelt bound would bound nothing. */
@Closed()
class WalletSpendRequest extends WalletSpend {}

const pipe = new ValidationPipe();

/** Reads the budgets of authorization requests. */
@Injectable()
export class Budgets {
  constructor(
    private readonly apps: AppsFacade,
    private readonly networks: Networks,
  ) {}

  /** The budget that a client asks for, with its rule as it is stored. Throws `InvalidRequest`. */
  async read(appId: AppId, value: unknown): Promise<{ readonly spend: WalletSpend; readonly rules: readonly Rule[] }> {
    const spend = pipe.transform(value, { type: 'body', metatype: WalletSpendRequest }) as WalletSpend;
    const { networks, assets, destinations, windows } = spend;
    const match = {
      operations: ['transfer' as const],
      ...(networks && { networks }),
      ...(assets && { assets }),
      ...(destinations && { destinations }),
    };
    const rule: PolicyRule = { id: 'budget', effect: 'allow', match, windows };
    return { spend, rules: rulesIn([rule], { ...this.networks, assets: (await this.apps.settings(appId)).assets }) };
  }
}

/** States as a sentence what the user consents to. */
export function inWords({ wallet_id, networks, assets, destinations, windows, expires_in }: WalletSpend): string {
  const either = new Intl.ListFormat('en', { type: 'disjunction' });
  const bounds = windows.flatMap(({ seconds, max_amount, max_count, per }) => {
    const period = `in any ${lengthOf(seconds)}${per === 'destination' ? ' to each address' : ''}`;
    return [
      ...(max_amount === undefined ? [] : [`at most ${max_amount} ${assets?.[0]} ${period}`]),
      ...(max_count === undefined ? [] : [`at most ${max_count} payments ${period}`]),
    ];
  });
  const parts = [
    `Pay from the wallet ${wallet_id}`,
    assets && ` in ${either.format(assets)}`,
    networks && ` on ${either.format(networks)}`,
    destinations && ` to ${either.format(destinations)}`,
    `: ${bounds.join(', ')}, for ${lengthOf(expires_in)}.`,
  ];
  return parts.filter(Boolean).join('');
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

function lengthOf(seconds: number): string {
  const [unit, length] = UNITS.find(([, of]) => seconds % of === 0)!;
  const count = seconds / length;
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
