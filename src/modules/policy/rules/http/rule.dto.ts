import { isAddress } from '@solana/kit';
import { AtLeastOneOf } from '../../../../edge/http/at-least-one-of.js';
import { Closed, MOST_FAULTS } from '../../../../edge/http/closed.js';
import { ListOf, Nested } from '../../../../edge/http/compound-fields.js';
import { DecimalText, IdOf, OneOf, Text, WholeNumber } from '../../../../edge/http/fields.js';
import { unitsIn } from '../../../../kernel/chain/amount.js';
import { type Asset, formatAmount } from '../../../../kernel/chain/asset.js';
import type { FieldError } from '../../../../kernel/domain-error.js';
import { InvalidRequest } from '../../../../kernel/errors.js';
import { EXAMPLES } from '../../../../kernel/examples.js';
import type { ApproverGroupId } from '../../../../kernel/ids.js';
import { ethereumAddressOf } from '../../../../services/crypto/keccak.js';
import {
  BOUNDS,
  type Effect,
  EFFECTS,
  type Match,
  type Operation,
  OPERATIONS,
  type PolicyAsset,
  type Rule,
  type Window,
  WINDOWS_PER,
} from '../domain/policy.js';
import type { Networks } from '../domain/networks.js';
import { inJson } from '../domain/stored-rules.js';

const { members, seconds, counts } = BOUNDS;
const LIST = { min: 1, max: members, optional: true } as const;

/** The chain id of a network that is not configured, as a CAIP-2 id. */
const NETWORK = {
  max: 32,
  pattern: /^([a-z][a-z0-9_-]*|eip155:[1-9][0-9]{0,15})$/,
  patternName: 'the name of a network or a CAIP-2 id such as eip155:8453',
} as const;

/** Inclusive bounds on each amount that is moved. */
@Closed()
@AtLeastOneOf('min', 'max')
export class RuleAmount {
  /** The least amount, as a decimal number of the asset's units. */
  @DecimalText({ optional: true })
  readonly min?: string;

  /** The most, as a decimal number of the asset's units. */
  @DecimalText({ optional: true, example: '100' })
  readonly max?: string;
}

/** Conditions of which each must hold. An absent one always holds. */
@Closed()
export class RuleMatch {
  /** The uses of a wallet's key. */
  @ListOf(OneOf(OPERATIONS), { ...LIST, example: ['transfer'] })
  readonly operations?: Operation[];

  /** The networks: names of configured networks, or CAIP-2 ids. */
  @ListOf(Text(NETWORK), { ...LIST, example: ['ethereum'] })
  readonly networks?: string[];

  /** The currencies by name or symbol: coins of networks, and assets of the app as they are when the version is stored. */
  @ListOf(Text({ min: 1, max: 32 }), { ...LIST, example: ['ethereum'] })
  readonly assets?: string[];

  /** The addresses that receive, or that may take. */
  @ListOf(Text({ min: 1, max: 128 }), { ...LIST, example: [EXAMPLES.otherAddress] })
  readonly destinations?: string[];

  /** The bounds on each amount that is moved. They need exactly one asset in `assets`. */
  @Nested(() => RuleAmount, { optional: true })
  readonly amount?: RuleAmount;
}

/** The most that may be moved in each period of `seconds`. At least one of `max_amount` and `max_count` is given. */
@Closed()
@AtLeastOneOf('max_amount', 'max_count')
export class RuleWindow {
  /** The length of the period. It slides: an older request counts no more. */
  @WholeNumber({ ...seconds, unit: 'seconds', example: 86_400 })
  readonly seconds!: number;

  /** The most that is moved in the period, as a decimal number of the asset's units. It needs exactly one asset in `match.assets`. */
  @DecimalText({ optional: true, example: '1000' })
  readonly max_amount?: string;

  /** The most requests in the period. */
  @WholeNumber({ ...counts, unit: 'requests', optional: true })
  readonly max_count?: number;

  /** Whether all requests count together, or those to each destination apart. */
  @OneOf(WINDOWS_PER)
  readonly per: Window['per'] = 'policy';
}

/** The users who must agree. */
@Closed()
export class RuleApprovals {
  /** The approver group whose members vote. */
  @IdOf('approverGroup')
  readonly group!: ApproverGroupId;

  /** The number of members who must approve. */
  @WholeNumber({ min: 1, max: members, unit: 'members' })
  readonly count!: number;

  /** The number of seconds after which a request that is not approved expires. */
  @WholeNumber({ ...seconds, unit: 'seconds', example: 3_600 })
  readonly expires_in!: number;
}

/** A rule of a policy. A field that it does not have is refused, because a misspelt condition would match everything. */
@Closed()
export class PolicyRule {
  /**
   * The id of the rule, unique in the version. Windows are counted by the policy's name and this id, so that a new version refills no
   * budget. If it is absent, the service makes one from the place of the rule.
   */
  @Text({
    min: 1,
    max: 64,
    pattern: /^[a-z0-9_-]+$/,
    patternName: 'lower-case letters, digits, _ and -',
    optional: true,
    example: 'small_payments',
  })
  readonly id?: string;

  /** The result for a request that matches. */
  @OneOf(EFFECTS)
  readonly effect!: Effect;

  /** The requests that the rule is about. */
  @Nested(() => RuleMatch, {
    optional: true,
    example: { operations: ['transfer'], networks: ['ethereum'], assets: ['ethereum'], amount: { max: '0.25' } },
  })
  readonly match?: RuleMatch;

  /** The budgets. A `deny` rule has none. */
  @ListOf(Nested(() => RuleWindow), { min: 1, max: BOUNDS.windows, optional: true })
  readonly windows?: RuleWindow[];

  /** The approvals that `require_approval` needs. Rules with another effect have none. */
  @Nested(() => RuleApprovals, { optional: true })
  readonly approvals?: RuleApprovals;

  /** A rule as a client would send it: conditions that always hold are absent. */
  static of({ id, effect, match, windows, approvals }: Rule): PolicyRule {
    return {
      id,
      effect,
      match: shownMatch(match),
      ...(windows.length > 0 && { windows: windows.map((window) => shownWindow(window, match.assets)) }),
      ...(approvals && {
        approvals: { group: approvals.group, count: approvals.count, expires_in: approvals.expiresIn },
      }),
    };
  }
}

function shownMatch({ operations, networks, assets, destinations, amount }: Match): RuleMatch {
  const shown = (units: bigint) => formatAmount(units, assets![0]!);
  return {
    ...(operations && { operations: [...operations] }),
    ...(networks && { networks: [...networks] }),
    ...(assets && { assets: assets.map(({ currency }) => currency) }),
    ...(destinations && { destinations: [...destinations] }),
    ...(amount && {
      amount: {
        ...(amount.min !== null && { min: shown(amount.min) }),
        ...(amount.max !== null && { max: shown(amount.max) }),
      },
    }),
  };
}

function shownWindow({ seconds, maxAmount, maxCount, per }: Window, assets: Match['assets']): RuleWindow {
  return {
    seconds,
    ...(maxAmount !== null && { max_amount: formatAmount(maxAmount, assets![0]!) }),
    ...(maxCount !== null && { max_count: maxCount }),
    per,
  };
}

/** The names that a request may use: the tokens of the app, and the configured networks. */
interface KnownNames extends Pick<Networks, 'nameOf' | 'walletTypeOf' | 'assetsNamed'> {
  readonly assets: readonly Asset[];
}

/** The rules of a request as they are stored. Throws `InvalidRequest` with every fault and its path. */
export function rulesIn(requests: readonly PolicyRule[], names: KnownNames): Rule[] {
  const reader = new RuleReader(names);
  const ids = reader.ids(requests);
  const rules = requests.map((request, index) => ({ id: ids[index]!, ...reader.rule(request, `rules[${index}]`) }));
  if (reader.faults.length > 0) throw new InvalidRequest(reader.faults);
  if (Buffer.byteLength(inJson(rules)) > BOUNDS.bytes)
    throw new InvalidRequest([
      { field: 'rules', rule: 'too_large', message: `must take at most ${BOUNDS.bytes} bytes when they are stored` },
    ]);
  return rules;
}

/** The asset that amounts are counted in: null unless there is exactly one, undefined if a name was refused. */
type Counted = Asset | null | undefined;

/** Converts rules and collects their faults. */
class RuleReader {
  readonly faults: FieldError[] = [];

  constructor(private readonly names: KnownNames) {}

  /** The ids of the rules. A rule without one gets that of its place, or of the next place whose id is free. */
  ids(requests: readonly PolicyRule[]): string[] {
    const taken = new Set<string>();
    for (const [index, { id }] of requests.entries()) {
      if (id === undefined) continue;
      if (taken.has(id)) this.refuse(`rules[${index}].id`, 'unique', 'must be unique in the version');
      taken.add(id);
    }
    return requests.map(({ id }, index) => {
      if (id !== undefined) return id;
      let place = index + 1;
      while (taken.has(`rule_${place}`)) place++;
      taken.add(`rule_${place}`);
      return `rule_${place}`;
    });
  }

  rule({ effect, match = {}, windows = [], approvals }: PolicyRule, at: string): Omit<Rule, 'id'> {
    if (effect === 'deny' && windows.length > 0)
      this.refuse(`${at}.windows`, 'effect', 'must be absent from a deny rule');
    if (effect === 'require_approval' && !approvals)
      this.refuse(`${at}.approvals`, 'required', 'is required where the effect is require_approval');
    if (effect !== 'require_approval' && approvals)
      this.refuse(`${at}.approvals`, 'effect', 'must be absent unless the effect is require_approval');
    const { operations, networks, assets, destinations, amount } = match;
    const known = this.each(networks, `${at}.match.networks`, 'must be configured', (text) => this.networkOf(text));
    const expected = known
      ? 'must be a coin or an asset of the app on a network of the rule'
      : 'must be a coin or an asset of the app';
    const lists = this.each(assets, `${at}.match.assets`, expected, (text) => this.assetsOf(text, known));
    const named = lists && distinct(lists.flat());
    const counted = assets && !named ? undefined : named?.length === 1 ? named[0] : null;
    return {
      effect,
      match: {
        operations: operations ? distinct(operations) : null,
        networks: known,
        assets: named && named.map(policyAsset),
        destinations: this.each(destinations, `${at}.match.destinations`, 'must be an address', addressOf),
        amount: amount ? this.amount(amount, `${at}.match.amount`, counted) : null,
      },
      windows: windows.map(({ seconds, max_amount, max_count, per }, index) => ({
        seconds,
        maxAmount: this.units(max_amount, `${at}.windows[${index}].max_amount`, counted),
        maxCount: max_count ?? null,
        per,
      })),
      approvals: approvals ? { group: approvals.group, count: approvals.count, expiresIn: approvals.expires_in } : null,
    };
  }

  /** The name of a network; the CAIP-2 id of one that is not configured stays. */
  private networkOf(text: string): string | null {
    const name = this.names.nameOf(text);
    return name.includes(':') || this.names.walletTypeOf(name) ? name : null;
  }

  /** The currencies that the text names, on the networks of the rule if it has any; null: none. */
  private assetsOf(text: string, networks: readonly string[] | null): readonly Asset[] | null {
    const on = (network?: string) => this.names.assetsNamed(text, this.names.assets, network);
    const named = networks ? networks.flatMap(on) : on();
    return named.length > 0 ? named : null;
  }

  private amount({ min, max }: RuleAmount, at: string, asset: Counted): Match['amount'] {
    const [least, most] = [this.units(min, `${at}.min`, asset), this.units(max, `${at}.max`, asset)];
    if (least !== null && most !== null && least > most) this.refuse(`${at}.min`, 'max', 'must be at most max');
    return { min: least, max: most };
  }

  private units(text: string | undefined, at: string, asset: Counted): bigint | null {
    if (text === undefined || asset === undefined) return null;
    if (asset === null) {
      this.refuse(at, 'one_asset', 'needs exactly one asset in match.assets');
      return null;
    }
    const units = unitsIn(text, asset, this.names.walletTypeOf(asset.chain)!);
    if (typeof units === 'bigint') return units;
    this.refuse(at, 'amount', units);
    return null;
  }

  /** The items in the form that is stored, each once; null if there is no list or if it was refused. */
  private each<T extends object | string>(
    texts: readonly string[] | undefined,
    at: string,
    expected: string,
    convert: (text: string) => T | null,
  ): T[] | null {
    if (!texts) return null;
    const items = texts.map(convert);
    for (const [index, item] of items.entries()) if (item === null) this.refuse(`${at}[${index}]`, 'invalid', expected);
    const found = items.filter((item) => item !== null);
    return found.length === items.length ? distinct(found) : null;
  }

  private refuse(field: string, rule: string, message: string): void {
    if (this.faults.length < MOST_FAULTS) this.faults.push({ field, rule, message });
  }
}

const distinct = <T>(items: readonly T[]): T[] => [...new Set(items)];

function policyAsset({ chain, token, name, decimals }: Asset): PolicyAsset {
  return { network: chain, token, currency: name, decimals };
}

/** The address in its canonical form. Base58 of 32 bytes has only one spelling. */
function addressOf(text: string): string | null {
  return ethereumAddressOf(text) ?? (isAddress(text) ? text : null);
}
