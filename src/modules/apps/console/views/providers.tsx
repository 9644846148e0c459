import { fill, nameOf } from '../../../../console/text.js';
import { State } from '../../../../console/ui/states.js';
import { Table } from '../../../../console/ui/table.js';
import logos from './logos.svg?no-inline';
import texts from './texts.json';

const t = texts.connections;

/** In the address of the page that connects a provider without a name of its own. */
export const OTHER = 'other';

/** The client id of a connection that exists for its callback URL, which providers ask for before they give an id. */
export const RESERVED = 'callback-url-reserved';

export const isReserved = (connection: { readonly client_id: string }): boolean => connection.client_id === RESERVED;

export interface ProviderTexts {
  readonly name: string;
  readonly url: string;
  readonly label: string;
  readonly step: string;
}

export const textsOf = (provider: string): ProviderTexts | undefined =>
  (t.providers as Readonly<Record<string, ProviderTexts>>)[provider];

export const nameOfProvider = (provider: string): string => textsOf(provider)?.name ?? provider;

export function Logo({ of }: { of: string }) {
  return (
    <svg class="icon logo" aria-hidden="true">
      <use href={`${logos}#${textsOf(of) ? of : 'openid'}`} />
    </svg>
  );
}

export interface TestResult {
  readonly connection: string;
  readonly checks: readonly { readonly name: keyof typeof t.advice; readonly ok: boolean; readonly detail: string }[];
}

/** The first failure may cause the later ones, so only its remedy is shown. */
export function Checks({ connection, checks }: TestResult) {
  const failed = checks.filter(({ ok }) => !ok);
  return (
    <section class="card result" role="status">
      <h2>{fill(failed.length === 0 ? t.testPassed : t.testFailed, { provider: connection })}</h2>
      <Table
        caption={t.checks}
        rows={checks}
        keyOf={({ name }) => name}
        columns={[
          { head: t.check, isName: true, cell: ({ name }) => nameOf(name) },
          { head: t.result, cell: ({ ok }) => <State of={ok ? 'ok' : 'failed'}>{ok ? t.passed : t.failed}</State> },
          { head: t.detail, cell: ({ detail }) => <span class="wrap">{detail}</span> },
          { head: t.whatToDo, cell: ({ name }) => (name === failed[0]?.name ? t.advice[name] : '') },
        ]}
      />
    </section>
  );
}
