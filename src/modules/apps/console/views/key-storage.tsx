import type { components } from '../../../../../openapi/client/src/index.js';
import { api, call } from '../../../../console/api.js';
import { useLoad } from '../../../../console/load.js';
import { fill, text } from '../../../../console/text.js';
import { CopyField } from '../../../../console/ui/dialog.js';
import { Await, Facts, Page, State, Time } from '../../../../console/ui/states.js';
import { Table } from '../../../../console/ui/table.js';
import texts from './texts.json';

const t = texts.keyStorage;

type KeyStorage = components['schemas']['KeyStorageResponse'];
type SealedValues = components['schemas']['SealedValuesResponse'];

const TONES = { ok: 'good', unavailable: 'bad', unknown: 'plain' } as const;

const holderOf = (name: string): string => (t.holders as Readonly<Record<string, string>>)[name] ?? name;

export function KeyStoragePage() {
  const loaded = useLoad(
    () => call(api.GET('/management/v1/key_storage')),
    [],
    ({ is_counting, providers }) => is_counting || providers.some(({ status }) => status !== 'ok'),
  );
  return (
    <Page title={t.title} intro={t.intro}>
      <Await loaded={loaded}>
        {(found) => (
          <>
            <Warnings of={found} />
            <Facts
              items={[
                [t.holder, holderOf(found.provider)],
                [t.counted, <Time at={found.counted_at} />],
              ]}
            />
            <section>
              <h2>{t.providers}</h2>
              <Table
                caption={t.providers}
                rows={found.providers}
                keyOf={({ name }) => name}
                empty={t.noProviders}
                columns={[
                  { head: t.provider, isName: true, cell: ({ name }) => holderOf(name) },
                  {
                    head: text.state,
                    cell: ({ status }) => (
                      <State of={status} tone={TONES[status]}>
                        {t.states[status]}
                      </State>
                    ),
                  },
                  { head: t.fault, cell: ({ fault }) => fault ?? '' },
                  { head: t.failingSince, time: (row) => row.failing_since },
                  { head: t.checked, time: (row) => row.checked_at },
                ]}
              />
            </section>
            <section>
              <h2>{t.appKeys}</h2>
              <Table
                caption={t.appKeys}
                rows={found.app_keys}
                keyOf={({ provider, generation }) => `${provider} ${generation}`}
                empty={t.noAppKeys}
                columns={[
                  {
                    head: t.key,
                    isName: true,
                    cell: ({ provider, generation }) =>
                      fill(t.generation, { provider: holderOf(provider), generation }),
                  },
                  { head: t.apps, value: ({ apps }) => apps },
                ]}
              />
            </section>
            <section>
              <h2>{t.values}</h2>
              <Table
                caption={t.values}
                rows={found.sealed_values}
                keyOf={(row) => `${row.sealed_by} ${row.master_key}`}
                empty={found.counted_at === 0 ? t.notCounted : t.noValues}
                columns={[
                  { head: t.sealedBy, isName: true, cell: (row) => row.master_key || holderOf(row.sealed_by) },
                  { head: t.count, value: ({ values }) => values },
                  {
                    head: t.use,
                    cell: (row) => <Use of={row} />,
                  },
                ]}
              />
            </section>
            {found.escrow && (
              <section>
                <h2>{t.escrow}</h2>
                <Facts
                  items={[
                    [t.escrowMade, <Time at={found.escrow.created_at} />],
                    [t.escrowKeys, found.escrow.keys],
                    [t.escrowOpens, fill(t.threshold, { ...found.escrow })],
                  ]}
                />
              </section>
            )}
          </>
        )}
      </Await>
    </Page>
  );
}

/** Altered values name no key, so they can be neither opened nor moved. */
function Use({ of: { sealed_by, is_current } }: { of: SealedValues }) {
  if (sealed_by === 'unknown') return <State of={t.altered} tone="bad" />;
  return <State of={is_current ? t.current : t.other} tone={is_current ? 'good' : 'wait'} />;
}

function Warnings({ of: { provider, providers, sealed_values, count_failed_at, escrow } }: { of: KeyStorage }) {
  const former = sealed_values
    .filter((row) => !row.is_current && row.sealed_by !== 'unknown')
    .reduce((sum, { values }) => sum + values, 0);
  const isUsed = (name: string): boolean =>
    name === provider || sealed_values.some(({ sealed_by }) => sealed_by === name);
  const isProvided = provider !== 'master-keys';
  return (
    <>
      {providers.map(
        ({ name, fault }) =>
          fault &&
          isUsed(name) && (
            <Warning
              key={name}
              tone="bad"
              words={fill(t.unavailable, { provider: holderOf(name), fault: t.faults[fault] })}
              command="keys status"
            />
          ),
      )}
      {isProvided && !escrow && <Warning tone="bad" words={t.noEscrow} command={ESCROW} />}
      {escrow && escrow.newer_keys > 0 && (
        <Warning tone="wait" words={fill(t.newerKeys, { count: escrow.newer_keys })} command={ESCROW} />
      )}
      {count_failed_at > 0 && <Warning tone="wait" words={t.countFailed} command="keys status" />}
      {former > 0 && (
        <Warning tone="wait" words={fill(t.otherValues, { count: former })} command={`keys move --to ${provider}`} />
      )}
      {!isProvided && <p class="hint">{t.backup}</p>}
    </>
  );
}

const ESCROW = 'keys escrow --recipients recipients.json --out keys.escrow';

function Warning({ tone, words, command }: { tone: 'bad' | 'wait'; words: string; command: string }) {
  return (
    <div class={`notice ${tone}`}>
      <p>{words}</p>
      <CopyField label={t.command} value={`npm run cli -- ${command}`} />
    </div>
  );
}
