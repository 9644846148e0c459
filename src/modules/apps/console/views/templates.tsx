import { useState } from 'preact/hooks';
import type { components } from '../../../../../openapi/client/src/index.js';
import { api, call } from '../../../../console/api.js';
import { useLoad } from '../../../../console/load.js';
import type { PageProps } from '../../../../console/page.js';
import { refusalFor } from '../../../../console/session.js';
import { text } from '../../../../console/text.js';
import { useFilters } from '../../../../console/ui/filter.js';
import { choicesOf, type Entries, fieldsOf, Form } from '../../../../console/ui/form.js';
import { Await, Facts, Page } from '../../../../console/ui/states.js';
import texts from './texts.json';
import { home } from '../../../../console/root.js';

const t = texts.templates;
const field = fieldsOf(t);
type Kind = Preview['kind'];
type Preview = components['schemas']['TemplatePreviewResponse'];

export function TemplatesPage({ appId }: PageProps) {
  const target = { params: { path: { app_id: appId } } };
  const loaded = useLoad(() => call(api.GET('/management/v1/apps/{app_id}', target)), [appId]);
  return (
    <Page title={t.title} intro={t.intro}>
      <Await loaded={loaded}>{({ messages }) => <Kinds appId={appId} templates={messages.templates} />}</Await>
    </Page>
  );
}

/** Each kind of mail that a module declares has a field. */
function Kinds({ appId, templates }: { appId: string; templates: components['schemas']['TemplatesResponse'] }) {
  const kinds = Object.keys(templates).filter((name): name is Kind => name !== 'sms');
  const { values, form } = useFilters([field('kind', { options: choicesOf(kinds) })]);
  const kind = kinds.find((name) => name === values.kind) ?? kinds[0]!;
  return (
    <>
      {form}
      <Editor key={kind} appId={appId} kind={kind} own={templates[kind]} />
    </>
  );
}

interface Words {
  readonly subject?: string;
  readonly text?: string;
  readonly html?: string;
}

function Editor({ appId, kind, own }: { appId: string; kind: Kind; own: Words | null }) {
  const target = { params: { path: { app_id: appId } } };
  const [preview, setPreview] = useState<Preview | null>(null);
  const words = (entries: Entries): Words => entries.optionals('subject', 'text', 'html');
  return (
    <>
      <p class="notice">{own ? t.isOwn : t.isBuiltIn}</p>
      <Form
        fields={[
          field('subject', { value: own?.subject }),
          field('text', { type: 'textarea', value: own?.text }),
          field('html', { type: 'textarea', value: own?.html }),
          field('name'),
        ]}
        submitLabel={text.save}
        refusal={refusalFor('owner')}
        done={text.saved}
        submit={(entries) => {
          const own = words(entries);
          const template = Object.values(own).some((part) => part !== undefined) ? own : null;
          const body = { messages: { templates: { [kind]: template } } };
          return call(api.PATCH('/management/v1/apps/{app_id}', { ...target, body }));
        }}
        second={{
          label: t.preview,
          refusal: refusalFor('operator'),
          run: async (entries) => {
            const body = { kind, ...words(entries), name: entries.optional('name') };
            setPreview(await call(api.POST('/management/v1/apps/{app_id}/templates/preview', { ...target, body })));
          },
        }}
      />
      {preview && (
        <section class="card" aria-label={t.preview}>
          <h2>{t.preview}</h2>
          <Facts items={[[t.subject, preview.subject]]} />
          <h3>{t.text}</h3>
          <pre>{preview.text}</pre>
          <h3>{t.html}</h3>
          <p class="hint">{t.renderedHint}</p>
          <Mail html={preview.html} />
          <details>
            <summary>{t.source}</summary>
            <pre>{preview.html}</pre>
          </details>
        </section>
      )}
    </>
  );
}

/**
 * The frame is a page of its own: its policy permits inline styles, as mails have them, and forbids scripts, forms and other hosts,
 * as the sandbox does. The same origin lets the console put the mail in.
 */
function Mail({ html }: { html: string }) {
  return (
    <iframe
      // A new mail loads a new frame.
      key={html}
      class="mail"
      sandbox="allow-same-origin"
      src={`${home}/mail`}
      title={t.rendered}
      onLoad={({ currentTarget }) => {
        // It is null after a click on a link of the mail, which the policy blocks.
        const page = currentTarget.contentDocument;
        if (page) page.documentElement.innerHTML = html;
      }}
    />
  );
}
