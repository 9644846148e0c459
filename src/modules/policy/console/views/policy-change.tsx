import type { components } from '../../../../../openapi/client/src/index.js';
import { api, call } from '../../../../console/api.js';
import { useLoad } from '../../../../console/load.js';
import type { PageProps } from '../../../../console/page.js';
import { refusalFor } from '../../../../console/session.js';
import { fill, text } from '../../../../console/text.js';
import { differences } from '../../../../console/ui/differences.js';
import { type Entries, fieldsOf, Form } from '../../../../console/ui/form.js';
import { Await, Page } from '../../../../console/ui/states.js';
import { withChosen } from './draft.js';
import { groupsOf, namesIn } from './shared.js';
import texts from './texts.json';

const t = texts.changes;
const field = fieldsOf(t);
type Terms = components['schemas']['AppResponse']['policy_change'];

export function PolicyChangePage({ appId }: PageProps) {
  const target = { params: { path: { app_id: appId } } };
  const loaded = useLoad(async () => {
    const [app, groups] = await Promise.all([call(api.GET('/management/v1/apps/{app_id}', target)), groupsOf(appId)]);
    return { terms: app.policy_change, groups };
  }, [appId]);
  return (
    <Page title={t.title} intro={t.intro}>
      <Await loaded={loaded}>
        {({ terms, groups }) => (
          <>
            {terms && (
              <p class="notice wait">{fill(t.inUse, { group: namesIn(groups)(terms.group), count: terms.count })}</p>
            )}
            <Form
              fields={[
                field('policy_change.group', {
                  value: terms?.group ?? '',
                  options: withChosen(
                    [['', t.none], ...groups.map(({ id, name }) => [id, name] as const)],
                    terms?.group,
                  ),
                }),
                field('policy_change.count', { type: 'number', value: String(terms?.count ?? 1) }),
              ]}
              submitLabel={text.save}
              done={text.saved}
              refusal={refusalFor('owner')}
              submit={(entries, initial) => {
                const body = { policy_change: termsIn(entries) };
                // A group without its count is no setting, so both are sent if one differs.
                const isSame = differences(body, { policy_change: termsIn(initial) }) === null;
                return isSame ? null : call(api.PATCH('/management/v1/apps/{app_id}', { ...target, body }));
              }}
            />
          </>
        )}
      </Await>
    </Page>
  );
}

function termsIn(entries: Entries): Terms {
  const group = entries.text('policy_change.group');
  return group === '' ? null : { group, count: Number(entries.text('policy_change.count')) };
}
