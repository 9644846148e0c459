import type { components } from '../../../../openapi/client/src/index.js';
import { api, call } from '../../../console/api.js';
import { useLoad } from '../../../console/load.js';
import type { ConsolePage } from '../../../console/page.js';
import { nameOf, text } from '../../../console/text.js';
import { Await, Page, State } from '../../../console/ui/states.js';
import { Table } from '../../../console/ui/table.js';
import t from './texts.json';

export const page: ConsolePage = { path: 'networks', title: t.title, isOfService: true, view: NetworksPage };

type Network = components['schemas']['ManagedNetworkResponse'];
type Status = Network['status'] | Network['endpoints'][number]['status'];

const TONES = { ok: 'good', degraded: 'wait', lags: 'wait', differs: 'bad', unavailable: 'bad' } as const;

function NetworkState({ of }: { of: Status }) {
  return (
    <State of={of} tone={TONES[of]}>
      {t.states[of]}
    </State>
  );
}

function NetworksPage() {
  const loaded = useLoad(
    () => call(api.GET('/management/v1/networks')),
    [],
    ({ networks }) => networks.some(({ status }) => status !== 'ok'),
  );
  return (
    <Page title={t.title} intro={t.intro}>
      <Await loaded={loaded}>
        {({ networks }) => (
          <>
            <Table
              caption={t.title}
              rows={networks}
              keyOf={({ name }) => name}
              empty={t.empty}
              columns={[
                { head: t.name, isName: true, value: ({ name }) => name },
                { head: text.state, cell: ({ status }) => <NetworkState of={status} /> },
                { head: t.id, cell: ({ id }) => nameOf(id) },
                { head: t.kind, value: ({ kind }) => kind },
                { head: t.coin, cell: ({ native_currency: coin }) => coin.symbol },
                { head: t.explorer, cell: ({ explorer }) => explorer ?? '' },
              ]}
            />
            <section>
              <h2>{t.nodes}</h2>
              <Table
                caption={t.nodes}
                rows={networks.flatMap(({ name, endpoints }) =>
                  endpoints.map((endpoint, index) => ({ name: `${name} ${index + 1}`, ...endpoint })),
                )}
                keyOf={({ name }) => name}
                empty={t.noNodes}
                columns={[
                  { head: t.node, isName: true, value: ({ name }) => name },
                  { head: text.state, cell: ({ status }) => <NetworkState of={status} /> },
                  { head: t.height, cell: ({ height }) => height ?? '' },
                  { head: t.fault, cell: ({ fault }) => fault ?? '' },
                ]}
              />
            </section>
          </>
        )}
      </Await>
    </Page>
  );
}
