import { useLocation } from 'preact-iso';
import { useState } from 'preact/hooks';
import type { OauthConnection } from '../../../../../openapi/client/src/index.js';
import { api, call } from '../../../../console/api.js';
import { changed, useLoad } from '../../../../console/load.js';
import type { PageProps } from '../../../../console/page.js';
import { home } from '../../../../console/root.js';
import { refusalFor } from '../../../../console/session.js';
import { fill } from '../../../../console/text.js';
import { withProof } from '../../../../console/proof.js';
import { CopyField } from '../../../../console/ui/dialog.js';
import { type Entries, type Field, fieldsOf, Form } from '../../../../console/ui/form.js';
import { Icon } from '../../../../console/ui/icon.js';
import { Await, Page, State } from '../../../../console/ui/states.js';
import { Checks, isReserved, Logo, nameOfProvider, OTHER, RESERVED, type TestResult, textsOf } from './providers.js';
import texts from './texts.json';

const t = texts.connections;
const field = fieldsOf(t);
const LIST = '/management/v1/apps/{app_id}/oauth_connections';
const ONE = `${LIST}/{oauthconn_id}` as const;

/** `id` is the name of the provider, or `other`. */
export function ConnectionPage({ appId, id: provider }: PageProps) {
  const path = { app_id: appId };
  const loaded = useLoad(async () => {
    const { oauth_connections: found } = await call(api.GET(LIST, { params: { path } }));
    return { connection: found.find((each) => each.provider === provider) ?? null };
  }, [provider]);
  const name = provider === OTHER ? t.other : nameOfProvider(provider);
  const connection = loaded.data?.connection;
  return (
    <Page
      title={fill(t.setUp, { provider: name })}
      actions={
        connection && (
          <State
            of={isReserved(connection) ? t.unfinished : t.connected}
            tone={isReserved(connection) ? 'wait' : 'good'}
          />
        )
      }
    >
      <Await loaded={loaded}>
        {({ connection: found }) => <Steps appId={appId} provider={provider} connection={found} />}
      </Await>
    </Page>
  );
}

interface StepsProps {
  readonly appId: string;
  readonly provider: string;
  readonly connection: OauthConnection | null;
}

/** A provider that needs no more than an id and a secret gets its callback URL at once. */
const needsNothing = (provider: string): boolean =>
  !['apple', 'okta'].includes(provider) && textsOf(provider) !== undefined;

function Steps({ appId, provider, connection }: StepsProps) {
  const name = provider === OTHER ? t.other : nameOfProvider(provider);
  const { url, step, label } = textsOf(provider) ?? { url: '', step: t.otherStep, label: t.otherLabel };
  return (
    <ol class="steps" aria-label={t.steps}>
      <li>
        <h2>
          <Logo of={provider} /> {fill(t.stepAt, { provider: name })}
        </h2>
        <p>{step}</p>
        {url && (
          <a class="button" href={url} target="_blank" rel="noreferrer noopener">
            <Icon of="out" /> {fill(t.open, { site: new URL(url).host })}
          </a>
        )}
      </li>
      {(connection || provider !== 'apple') && (
        <li>
          <h2>{t.stepCallback}</h2>
          <p>{fill(t.callbackNote, { provider: name, label })}</p>
          {connection ? (
            <CopyField label={t.callback} value={connection.callback_url} />
          ) : (
            <Reserve appId={appId} provider={provider} />
          )}
        </li>
      )}
      <li>
        <h2>{fill(t.stepEnter, { provider: name })}</h2>
        {provider === 'apple' && !connection && <p>{t.appleNote}</p>}
        {(connection || provider === 'apple') && <Finish appId={appId} provider={provider} connection={connection} />}
      </li>
    </ol>
  );
}

/** `randomUUID` exists only on secure origins; a console may be served by plain HTTP on a private network. */
const randomText = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

const reserved = () => ({ client_id: RESERVED, client_secret: randomText() });

/** Makes the connection with an id and a secret that no provider knows, for its callback URL. */
function Reserve({ appId, provider }: Pick<StepsProps, 'appId' | 'provider'>) {
  const { route } = useLocation();
  const refusal = refusalFor('owner');
  const create = (name: string, issuer?: string) =>
    withProof(() =>
      call(
        api.POST(LIST, {
          params: { path: { app_id: appId } },
          body: { provider: name, ...reserved(), ...(issuer !== undefined && { issuer }) },
        }),
      ),
    );
  return (
    <Form
      fields={[
        ...(provider === OTHER ? [field('name', { isRequired: true })] : []),
        ...(needsNothing(provider) ? [] : [field('issuer', { type: 'url', isRequired: true })]),
      ]}
      submitLabel={t.reserve}
      refusal={refusal}
      submit={async (entries) => {
        const made = await create(entries.optional('name') ?? provider, entries.optional('issuer'));
        route(`${home}/apps/${appId}/connections/${made.provider}`);
      }}
    />
  );
}

function Finish({ appId, provider, connection }: StepsProps) {
  const [result, setResult] = useState<TestResult | null>(null);
  const isApple = provider === 'apple';
  const fields: Field[] = [
    field('client_id', {
      isRequired: true,
      ...(connection && !isReserved(connection) && { value: connection.client_id }),
    }),
    ...(isApple
      ? [
          field('team_id', { isRequired: true, value: connection?.team_id }),
          field('key_id', { isRequired: true, value: connection?.key_id }),
          field('private_key', { lines: [], isRequired: connection === null }),
        ]
      : [field('client_secret', { type: 'password', isRequired: connection === null || isReserved(connection) })]),
  ];
  const saved = (entries: Entries): Promise<OauthConnection> => {
    const body = {
      client_id: entries.text('client_id'),
      ...entries.optionals('client_secret', 'team_id', 'key_id', 'private_key'),
    };
    const path = { app_id: appId };
    return connection
      ? call(api.PATCH(ONE, { params: { path: { ...path, oauthconn_id: connection.id } }, body }))
      : call(api.POST(LIST, { params: { path }, body: { provider, ...body } }));
  };
  return (
    <>
      {connection && isReserved(connection) && (
        <p class="hint">{fill(t.notYet, { provider: nameOfProvider(provider) })}</p>
      )}
      <Form
        fields={fields}
        submitLabel={t.saveAndTest}
        refusal={refusalFor('owner')}
        submit={async (entries) => {
          const { id } = await withProof(() => saved(entries));
          const params = { path: { app_id: appId, oauthconn_id: id } };
          try {
            const { checks } = await call(api.POST(`${ONE}/test`, { params }));
            setResult({ connection: nameOfProvider(provider), checks });
          } catch (error) {
            // It is saved: the next press must change it, and not make it again.
            changed();
            throw error;
          }
        }}
      />
      {result && <Checks {...result} />}
    </>
  );
}
