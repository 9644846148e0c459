import { useLocation } from 'preact-iso';
import { api, call } from '../api.js';
import { changed, useLoad } from '../load.js';
import { refusalFor } from '../session.js';
import { fill, text } from '../text.js';
import { Action } from '../ui/dialog.js';
import { differences } from '../ui/differences.js';
import { Form } from '../ui/form.js';
import { Await, Page } from '../ui/states.js';
import type { AppPageProps } from './app-page.js';
import { PARTS } from './settings-parts.js';

const t = text.settings;

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
                  fields={part.fields(app)}
                  submitLabel={text.save}
                  done={text.saved}
                  refusal={refusal}
                  submit={async (entries, initial) => {
                    const body = differences(part.changes(entries), part.changes(initial));
                    if (body) await call(api.PATCH('/management/v1/apps/{app_id}', { ...target, body }));
                  }}
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
