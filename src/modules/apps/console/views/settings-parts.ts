import type { components } from '../../../../../openapi/client/src/index.js';
import { type Entries, type Field, fieldsOf } from '../../../../console/ui/form.js';
import { WALLET_TYPES, type WalletType } from '../../../../console/ui/wallets.js';
import texts from './texts.json';

const t = texts.settings;
const field = fieldsOf(t);

type App = components['schemas']['AppResponse'];
type Changes = components['schemas']['UpdateAppRequest'];
type Limit = Exclude<keyof App['limits'], 'sms_countries'>;
/** The compiler refuses a limit without a text. */
const LIMIT_TEXTS: Record<Limit, string> = t.limits;
const LIMITS = Object.keys(LIMIT_TEXTS) as Limit[];
const limitField = fieldsOf(LIMIT_TEXTS);
const SESSION_BOUNDS = ['session_idle_minutes', 'session_max_minutes'] as const;
const TYPED_DATA = ['listed', 'without_value', 'any'] as const;
const MESSAGES = ['any', 'text', 'none'] as const;

/** Only the settings that differ are sent. */
export interface Part {
  readonly title: string;
  readonly intro?: string;
  readonly fields: (app: App) => Field[];
  readonly changes: (entries: Entries) => Changes;
}

const rows = (entries: Entries, name: string): string[][] => entries.lines(name).map((line) => line.split(/[\s=]+/));

const linesOf = (amounts: App['accept_confirmed']): string[] =>
  amounts.map((row) => `${row.currency} ${row.max_amount}`);
const amountsIn = (entries: Entries, name: string): App['accept_confirmed'] =>
  rows(entries, name).map(([currency = '', amount = '']) => ({ currency, max_amount: amount }));

/** An invalid number is sent as it was entered: the service refuses it and names the line. */
const numberOf = (entered: string): number => (/^\d+$/.test(entered) ? Number(entered) : (entered as never));

const numberIn = (entries: Entries, name: string): number | null => {
  const entered = entries.optional(name);
  return entered === undefined ? null : numberOf(entered);
};

export const PARTS: readonly Part[] = [
  {
    title: t.general,
    fields: (app) => [
      field('name', { value: app.name, isRequired: true }),
      field('default_wallet_type', { value: app.default_wallet_type, options: WALLET_TYPES }),
      field('allowed_origins', { lines: app.allowed_origins }),
      field('session_claims', { lines: app.session_claims }),
      ...SESSION_BOUNDS.map((name) => field(name, { type: 'number', value: app[name]?.toString() })),
    ],
    changes: (entries) => ({
      name: entries.text('name'),
      default_wallet_type: entries.text('default_wallet_type') as WalletType,
      allowed_origins: entries.lines('allowed_origins'),
      session_claims: entries.lines('session_claims'),
      ...Object.fromEntries(SESSION_BOUNDS.map((name) => [name, numberIn(entries, name)])),
    }),
  },
  {
    title: t.limitsTitle,
    intro: t.limitsIntro,
    fields: ({ limits }) => [
      ...LIMITS.map((name) => limitField(`limits.${name}`, { type: 'number', value: String(limits[name]) })),
      field('limits.sms_countries', { value: limits.sms_countries.join(' ') }),
    ],
    changes: (entries) => ({
      limits: {
        ...Object.fromEntries(LIMITS.map((name) => [name, numberIn(entries, `limits.${name}`)])),
        sms_countries: entries
          .text('limits.sms_countries')
          .split(/[\s,]+/)
          .filter(Boolean),
      },
    }),
  },
  {
    title: t.messagesTitle,
    intro: t.messagesIntro,
    fields: ({ messages }) => [
      field('messages.sender_name', { value: messages.sender_name ?? '' }),
      field('messages.sender_address', { value: messages.sender_address ?? '' }),
      field('messages.web_domain', { value: messages.web_domain ?? '' }),
      field('messages.templates.sms.text', { type: 'textarea', value: messages.templates.sms?.text }),
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
      field('webauthn.rp_id', { value: webauthn?.rp_id }),
      field('webauthn.rp_name', { value: webauthn?.rp_name ?? '' }),
      field('webauthn.origins', { lines: webauthn?.origins ?? [] }),
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
      field('transfer_policy.allowed_destinations', { lines: policy.allowed_destinations ?? [] }),
      field('transfer_policy.max_amounts', { lines: linesOf(policy.max_amounts) }),
      field('transfer_policy.max_fees', { lines: policy.max_fees.map((row) => `${row.currency} ${row.max_fee}`) }),
    ],
    changes: (entries) => ({
      transfer_policy: {
        allowed_destinations: entries.isOn('restricts') ? entries.lines('transfer_policy.allowed_destinations') : null,
        max_amounts: amountsIn(entries, 'transfer_policy.max_amounts'),
        max_fees: rows(entries, 'transfer_policy.max_fees').map(([currency = '', fee = '']) => ({
          currency,
          max_fee: fee,
        })),
      },
    }),
  },
  {
    title: t.acceptedPayments,
    intro: t.acceptedPaymentsIntro,
    fields: ({ accept_confirmed: accepted }) => [field('accept_confirmed', { lines: linesOf(accepted) })],
    changes: (entries) => ({ accept_confirmed: amountsIn(entries, 'accept_confirmed') }),
  },
  {
    title: t.signingPolicy,
    fields: ({ signing_policy: policy }) => [
      field('signing_policy.typed_data', {
        value: policy.typed_data,
        options: TYPED_DATA.map((rule) => [rule, t.typedDataRules[rule]] as const),
      }),
      field('signing_policy.listed_typed_data', {
        lines: policy.listed_typed_data.map(
          (row) => `${row.primary_type} ${row.verifying_contract ?? '-'} ${row.chain_id ?? '-'}`,
        ),
      }),
      field('signing_policy.messages', {
        value: policy.messages,
        options: MESSAGES.map((rule) => [rule, t.signedMessageRules[rule]] as const),
      }),
      field('signing_policy.allows_export', { type: 'checkbox', value: policy.allows_export }),
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
    title: t.networksTitle,
    intro: t.networksIntro,
    fields: ({ networks }) => [field('networks', { lines: networks ?? [] })],
    changes: (entries) => {
      const networks = entries.lines('networks');
      return { networks: networks.length > 0 ? networks : null };
    },
  },
  {
    title: t.assetsTitle,
    intro: t.assetsIntro,
    fields: ({ assets }) => [
      field('assets', {
        lines: assets.map((row) => `${row.network} ${row.name} ${row.symbol} ${row.decimals} ${row.token}`),
      }),
    ],
    changes: (entries) => ({
      assets: rows(entries, 'assets').map(([network = '', name = '', symbol = '', decimals = '', token = '']) => ({
        network,
        name,
        symbol,
        decimals: numberOf(decimals),
        token,
      })),
    }),
  },
];
