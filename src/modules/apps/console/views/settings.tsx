import { useLocation } from 'preact-iso';
import { api, call } from '../../../../console/api.js';
import { useLoad } from '../../../../console/load.js';
import type { PageProps } from '../../../../console/page.js';
import { refusalFor } from '../../../../console/session.js';
import { text } from '../../../../console/text.js';
import { Action } from '../../../../console/ui/dialog.js';
import { differences } from '../../../../console/ui/differences.js';
import { Form } from '../../../../console/ui/form.js';
import { Await, Page } from '../../../../console/ui/states.js';
import { PARTS } from './settings-parts.js';
import texts from './texts.json';
import { home } from '../../../../console/root.js';

const t = texts.settings;

export function SettingsPage({ appId }: PageProps) {
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
                  fields={part.fields(app)}
                  submitLabel={text.save}
                  done={text.saved}
                  refusal={refusal}
                  submit={(entries, initial) => {
                    const body = differences(part.changes(entries), part.changes(initial));
                    return body && call(api.PATCH('/management/v1/apps/{app_id}', { ...target, body }));
                  }}
                />
              </section>
            ))}
            <section class="card">
              <h2>{t.danger}</h2>
              <Action
                text={t}
                name="remove"
                values={{ name: app.name }}
                need="owner"
                isDangerous
                confirmedBy={app.name}
                run={async () => {
                  await call(api.DELETE('/management/v1/apps/{app_id}', target));
                  route(home);
                }}
              />
            </section>
          </>
        )}
      </Await>
    </Page>
  );
}
