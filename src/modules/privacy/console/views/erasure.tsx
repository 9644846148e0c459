import { api, call } from '../../../../console/api.js';
import { saveFile } from '../../../../console/files.js';
import { useLoad } from '../../../../console/load.js';
import type { PageProps } from '../../../../console/page.js';
import { nameOf, text } from '../../../../console/text.js';
import { Await, Copyable, Facts, Page, State, Time } from '../../../../console/ui/states.js';
import { type Column, Table } from '../../../../console/ui/table.js';
import texts from '../texts.json';

const t = texts.erasure;

const load = (appId: string, userId: string) =>
  call(
    api.GET('/management/v1/apps/{app_id}/users/{user_id}/erase', {
      params: { path: { app_id: appId, user_id: userId } },
    }),
  );
type Receipt = Awaited<ReturnType<typeof load>>;

const COLUMNS: readonly Column<Receipt['lines'][number]>[] = [
  { head: t.what, isName: true, value: ({ name }) => nameOf(name) },
  { head: t.outcome, cell: ({ outcome }) => <State of={outcome} /> },
  { head: t.rows, value: ({ rows }) => (rows === null ? t.notCounted : rows) },
  { head: t.reason, cell: ({ reason }) => reason.replaceAll('`', '') },
];

export function ErasurePage({ appId, id }: PageProps) {
  const loaded = useLoad(
    () => load(appId, id),
    [id],
    ({ status }) => status === 'running',
  );
  const receipt = loaded.data;
  return (
    <Page
      title={t.title}
      intro={t.intro}
      actions={
        receipt?.status === 'done' && (
          <button
            type="button"
            onClick={() => saveFile(`${id}-erasure.json`, [JSON.stringify(receipt, null, 2)], 'application/json')}
          >
            {t.save}
          </button>
        )
      }
    >
      <Await loaded={loaded}>
        {({ status, percent, requested_at, finished_at, lines }) => (
          <>
            <Facts
              items={[
                [t.user, <Copyable value={id} />],
                [
                  text.state,
                  status === 'done' ? (
                    <State of={status} />
                  ) : (
                    <progress max={100} value={percent} aria-label={t.progress}>
                      {percent} %
                    </progress>
                  ),
                ],
                [t.requested, <Time at={requested_at} />],
                [t.finished, <Time at={finished_at} />],
              ]}
            />
            <section>
              <h2>{t.receipt}</h2>
              <Table caption={t.receipt} rows={lines} columns={COLUMNS} keyOf={({ name }) => name} />
            </section>
          </>
        )}
      </Await>
    </Page>
  );
}
