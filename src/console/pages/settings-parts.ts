import type { components } from '../../../openapi/client/src/index.js';
import { text } from '../text.js';
import type { Entries, Field } from '../ui/form.js';
import { WALLET_TYPES, type WalletType } from './apps.js';

const t = text.settings;

type App = components['schemas']['AppResponse'];
type Changes = components['schemas']['UpdateAppRequest'];
type Limit = keyof typeof t.limits;
const LIMITS = Object.keys(t.limits) as Limit[];
const TYPED_DATA = ['listed', 'without_value', 'any'] as const;
const MESSAGES = ['any', 'text', 'none'] as const;

/** One form of the settings: its inputs, and the settings that they stand for. Only those that differ are sent. */
export interface Part {
  readonly title: string;
  readonly intro?: string;
  readonly fields: (app: App) => Field[];
  readonly changes: (entries: Entries) => Changes;
}

/** The words of each line. */
const rows = (entries: Entries, name: string): string[][] => entries.lines(name).map((line) => line.split(/[\s=]+/));

/** What is no whole number goes to the service as it was entered, which refuses it and names the line. */
const numberOf = (entered: string): number => (/^\d+$/.test(entered) ? Number(entered) : (entered as never));

const bounds = (entries: Entries, name: string): { currency: string; bound: string }[] =>
  rows(entries, name).map(([currency = '', bound = '']) => ({ currency, bound }));

export const PARTS: readonly Part[] = [
  {
    title: t.general,
    fields: (app) => [
      { name: 'name', label: text.apps.name, value: app.name, isRequired: true },
      {
        name: 'default_wallet_type',
        label: text.apps.walletType,
        type: 'select',
        value: app.default_wallet_type,
        options: WALLET_TYPES,
      },
      {
        name: 'allowed_origins',
        label: t.origins,
        type: 'textarea',
        hint: t.originsHint,
        value: app.allowed_origins.join('\n'),
      },
    ],
    changes: (entries) => ({
      name: entries.text('name'),
      default_wallet_type: entries.text('default_wallet_type') as WalletType,
      allowed_origins: entries.lines('allowed_origins'),
    }),
  },
  {
    title: t.limitsTitle,
    intro: t.limitsIntro,
    fields: (app) => [
      ...LIMITS.map((name) => ({
        name: `limits.${name}`,
        label: t.limits[name],
        type: 'number' as const,
        value: String(app.limits[name]),
      })),
      {
        name: 'limits.sms_countries',
        label: t.countries,
        hint: t.countriesHint,
        value: app.limits.sms_countries.join(' '),
      },
    ],
    changes: (entries) => ({
      limits: {
        ...Object.fromEntries(
          LIMITS.map((name) => {
            const value = entries.optional(`limits.${name}`);
            return [name, value === undefined ? null : Number(value)];
          }),
        ),
        sms_countries: entries
          .text('limits.sms_countries')
          .split(/[\s,]+/)
          .filter(Boolean),
      },
    }),
  },
  {
    title: t.messages,
    intro: t.messagesIntro,
    fields: ({ messages }) => [
      { name: 'messages.sender_name', label: t.senderName, hint: t.senderNameHint, value: messages.sender_name ?? '' },
      {
        name: 'messages.sender_address',
        label: t.senderAddress,
        hint: t.senderAddressHint,
        value: messages.sender_address ?? '',
      },
      { name: 'messages.web_domain', label: t.webDomain, hint: t.webDomainHint, value: messages.web_domain ?? '' },
      {
        name: 'messages.templates.sms.text',
        label: t.sms,
        type: 'textarea',
        hint: t.smsHint,
        value: messages.templates.sms?.text,
      },
    ],
    changes: (entries) => {
      const sms = entries.optional('messages.templates.sms.text');
      return {
        messages: {
          sender_name: entries.optional('messages.sender_name') ?? null,
          sender_address: entries.optional('messages.sender_address') ?? null,
          web_domain: entries.optional('messages.web_domain') ?? null,
          templates: { sms: sms === undefined ? null : { text: sms } },
        },
      };
    },
  },
  {
    title: t.passkeys,
    intro: t.passkeysIntro,
    fields: ({ webauthn }) => [
      { name: 'webauthn.rp_id', label: t.rpId, hint: t.rpIdHint, value: webauthn?.rp_id },
      { name: 'webauthn.rp_name', label: t.rpName, hint: t.rpNameHint, value: webauthn?.rp_name ?? '' },
      {
        name: 'webauthn.origins',
        label: t.rpOrigins,
        type: 'textarea',
        hint: t.rpOriginsHint,
        value: webauthn?.origins.join('\n'),
      },
    ],
    changes: (entries) => {
      const domain = entries.optional('webauthn.rp_id');
      if (domain === undefined) return { webauthn: null };
      const origins = entries.lines('webauthn.origins');
      return { webauthn: { rp_id: domain, rp_name: entries.optional('webauthn.rp_name') ?? null, origins } };
    },
  },
  {
    title: t.transferPolicy,
    intro: t.transferPolicyIntro,
    fields: ({ transfer_policy: policy }) => [
      { name: 'restricts', label: t.restricts, type: 'checkbox', value: policy.allowed_destinations !== null },
      {
        name: 'transfer_policy.allowed_destinations',
        label: t.destinations,
        type: 'textarea',
        hint: t.destinationsHint,
        value: policy.allowed_destinations?.join('\n'),
      },
      {
        name: 'transfer_policy.max_amounts',
        label: t.maxAmounts,
        type: 'textarea',
        hint: t.maxAmountsHint,
        value: policy.max_amounts.map((row) => `${row.currency} ${row.max_amount}`).join('\n'),
      },
      {
        name: 'transfer_policy.max_fees',
        label: t.maxFees,
        type: 'textarea',
        hint: t.maxFeesHint,
        value: policy.max_fees.map((row) => `${row.currency} ${row.max_fee}`).join('\n'),
      },
    ],
    changes: (entries) => ({
      transfer_policy: {
        allowed_destinations: entries.isOn('restricts') ? entries.lines('transfer_policy.allowed_destinations') : null,
        max_amounts: bounds(entries, 'transfer_policy.max_amounts').map(({ currency, bound }) => ({
          currency,
          max_amount: bound,
        })),
        max_fees: bounds(entries, 'transfer_policy.max_fees').map(({ currency, bound }) => ({
          currency: currency as 'ethereum' | 'solana',
          max_fee: bound,
        })),
      },
    }),
  },
  {
    title: t.signingPolicy,
    fields: ({ signing_policy: policy }) => [
      {
        name: 'signing_policy.typed_data',
        label: t.typedData,
        type: 'select',
        value: policy.typed_data,
        options: TYPED_DATA.map((rule) => [rule, t.typedDataRules[rule]] as const),
      },
      {
        name: 'signing_policy.listed_typed_data',
        label: t.listedTypedData,
        type: 'textarea',
        hint: t.listedTypedDataHint,
        value: policy.listed_typed_data
          .map((row) => `${row.primary_type} ${row.verifying_contract ?? '-'} ${row.chain_id ?? '-'}`)
          .join('\n'),
      },
      {
        name: 'signing_policy.messages',
        label: t.signedMessages,
        type: 'select',
        value: policy.messages,
        options: MESSAGES.map((rule) => [rule, t.signedMessageRules[rule]] as const),
      },
      { name: 'signing_policy.allows_export', label: t.allowsExport, type: 'checkbox', value: policy.allows_export },
    ],
    changes: (entries) => ({
      signing_policy: {
        typed_data: entries.text('signing_policy.typed_data') as (typeof TYPED_DATA)[number],
        listed_typed_data: rows(entries, 'signing_policy.listed_typed_data').map(
          ([type = '', contract = '-', ...chain]) => ({
            primary_type: type,
            verifying_contract: contract === '-' ? null : contract,
            chain_id: ['', '-'].includes(chain.join(' ')) ? null : numberOf(chain.join(' ')),
          }),
        ),
        messages: entries.text('signing_policy.messages') as (typeof MESSAGES)[number],
        allows_export: entries.isOn('signing_policy.allows_export'),
      },
    }),
  },
  {
    title: t.assets,
    intro: t.assetsIntro,
    fields: ({ assets }) => [
      {
        name: 'assets',
        label: t.tokens,
        type: 'textarea',
        hint: t.tokensHint,
        value: assets.map((row) => `${row.chain} ${row.name} ${row.symbol} ${row.decimals} ${row.token}`).join('\n'),
      },
    ],
    changes: (entries) => ({
      assets: rows(entries, 'assets').map(([chain = '', name = '', symbol = '', decimals = '', token = '']) => ({
        chain: chain as 'ethereum' | 'solana',
        name,
        symbol,
        decimals: numberOf(decimals),
        token,
      })),
    }),
  },
];
