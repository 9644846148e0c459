import { useLocation } from 'preact-iso';
import type { components } from '../../../openapi/client/src/index.js';
import { api, call } from '../api.js';
import { changed, useLoad } from '../load.js';
import { refusalFor } from '../session.js';
import { fill, text } from '../text.js';
import { Action } from '../ui/dialog.js';
import { type Entries, type Field, Form } from '../ui/form.js';
import { Await, Page } from '../ui/states.js';
import type { AppPageProps } from './app-page.js';
import { WALLET_TYPES, type WalletType } from './apps.js';

const t = text.settings;

type App = components['schemas']['AppResponse'];
type Changes = components['schemas']['UpdateAppRequest'];
type Limit = keyof typeof t.limits;
const LIMITS = Object.keys(t.limits) as Limit[];
const TYPED_DATA = ['listed', 'without_value', 'any'] as const;

/** One form of the settings: its inputs, and the changes that they stand for. */
interface Part {
  readonly title: string;
  readonly intro?: string;
  readonly fields: (app: App) => Field[];
  readonly changes: (entries: Entries) => Changes;
}

const bounds = (entries: Entries, name: string): { currency: string; bound: string }[] =>
  entries.lines(name).map((line) => {
    const [currency = '', bound = ''] = line.split(/[\s=]+/);
    return { currency, bound };
  });

const PARTS: readonly Part[] = [
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
    title: t.transferPolicy,
    intro: t.transferPolicyIntro,
    fields: ({ transfer_policy: policy }) => [
      { name: 'restricts', label: t.restricts, type: 'checkbox', value: policy.allowed_destinations !== null },
      {
        name: 'allowed_destinations',
        label: t.destinations,
        type: 'textarea',
        hint: t.destinationsHint,
        value: policy.allowed_destinations?.join('\n'),
      },
      {
        name: 'max_amounts',
        label: t.maxAmounts,
        type: 'textarea',
        hint: t.maxAmountsHint,
        value: policy.max_amounts.map((row) => `${row.currency} ${row.max_amount}`).join('\n'),
      },
      {
        name: 'max_fees',
        label: t.maxFees,
        type: 'textarea',
        hint: t.maxFeesHint,
        value: policy.max_fees.map((row) => `${row.currency} ${row.max_fee}`).join('\n'),
      },
    ],
    changes: (entries) => ({
      transfer_policy: {
        allowed_destinations: entries.isOn('restricts') ? entries.lines('allowed_destinations') : null,
        max_amounts: bounds(entries, 'max_amounts').map(({ currency, bound }) => ({ currency, max_amount: bound })),
        max_fees: bounds(entries, 'max_fees').map(({ currency, bound }) => ({
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
        name: 'typed_data',
        label: t.typedData,
        type: 'select',
        value: policy.typed_data,
        options: TYPED_DATA.map((rule) => [rule, t.typedDataRules[rule]] as const),
      },
      { name: 'allows_export', label: t.allowsExport, type: 'checkbox', value: policy.allows_export },
    ],
    changes: (entries) => ({
      signing_policy: {
        typed_data: entries.text('typed_data') as (typeof TYPED_DATA)[number],
        allows_export: entries.isOn('allows_export'),
      },
    }),
  },
];

export function SettingsPage({ appId }: AppPageProps) {
  const target = { params: { path: { app_id: appId } } };
  const { route } = useLocation();
  const loaded = useLoad(() => call(api.GET('/management/v1/apps/{app_id}', target)), [appId]);
  const refusal = refusalFor('owner');
  return (
    <Page title={t.title} intro={t.intro}>
      <Await loaded={loaded}>
        {(app) => (
          <>
            {PARTS.map((part) => (
              <section key={part.title} class="card">
                <h2>{part.title}</h2>
                {part.intro && <p class="faint">{part.intro}</p>}
                <Form
                  // New values of the app are new initial values of the inputs.
                  key={app.updated_at}
                  fields={part.fields(app)}
                  submitLabel={text.save}
                  done={text.saved}
                  refusal={refusal}
                  submit={(entries) =>
                    call(api.PATCH('/management/v1/apps/{app_id}', { ...target, body: part.changes(entries) }))
                  }
                />
              </section>
            ))}
            <section class="card">
              <h2>{t.danger}</h2>
              <Action
                label={t.remove}
                title={fill(t.removeTitle, { name: app.name })}
                body={t.removeBody}
                need="owner"
                isDangerous
                fields={[
                  { name: 'confirmation', label: fill(t.removeConfirmation, { name: app.name }), isRequired: true },
                ]}
                run={async (entries) => {
                  if (entries.text('confirmation') !== app.name) throw new Error(t.removeMistyped);
                  await call(api.DELETE('/management/v1/apps/{app_id}', target));
                  route('/console');
                  changed();
                }}
              />
            </section>
          </>
        )}
      </Await>
    </Page>
  );
}
