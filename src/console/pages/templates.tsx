import { useState } from 'preact/hooks';
import type { components } from '../../../openapi/client/src/index.js';
import { api, call } from '../api.js';
import { useLoad } from '../load.js';
import { refusalFor } from '../session.js';
import { text } from '../text.js';
import { Filter, useFilters } from '../ui/filter.js';
import { choicesOf, Form } from '../ui/form.js';
import { Await, Facts, Page } from '../ui/states.js';
import type { AppPageProps } from './app-page.js';

const t = text.templates;
const KINDS = ['magic_link', 'invite', 'one_time_code'] as const;
type Kind = (typeof KINDS)[number];
type Preview = components['schemas']['TemplatePreviewResponse'];

export function TemplatesPage({ appId }: AppPageProps) {
  const [filters, apply] = useFilters('kind');
  const kind = KINDS.find((name) => name === filters.kind) ?? 'magic_link';
  const target = { params: { path: { app_id: appId } } };
  const loaded = useLoad(() => call(api.GET('/management/v1/apps/{app_id}', target)), [appId]);
  return (
    <Page title={t.title} intro={t.intro}>
      <Filter
        fields={[{ name: 'kind', label: t.kind, type: 'select', value: kind, options: choicesOf(KINDS) }]}
        apply={apply}
      />
      <Await loaded={loaded}>
        {(app) => <Editor key={kind} appId={appId} kind={kind} own={app.messages.templates[kind] ?? null} />}
      </Await>
    </Page>
  );
}

function Editor({
  appId,
  kind,
  own,
}: {
  appId: string;
  kind: Kind;
  own: { subject?: string; text?: string; html?: string } | null;
}) {
  const target = { params: { path: { app_id: appId } } };
  const [preview, setPreview] = useState<Preview | null>(null);
  const fields = [
    { name: 'subject', label: t.subject, value: own?.subject },
    { name: 'text', label: t.text, type: 'textarea' as const, value: own?.text, hint: t.placeholders },
    { name: 'html', label: t.html, type: 'textarea' as const, value: own?.html, hint: t.htmlHint },
    { name: 'name', label: t.sampleName, hint: t.sampleNameHint },
  ];
  const words = (entries: { optional: (name: string) => string | undefined }) => ({
    subject: entries.optional('subject'),
    text: entries.optional('text'),
    html: entries.optional('html'),
  });
  return (
    <>
      <p class="notice">{own ? t.isOwn : t.isBuiltIn}</p>
      <Form
        fields={fields}
        submitLabel={text.save}
        refusal={refusalFor('owner')}
        done={text.saved}
        submit={(entries) => {
          const own = words(entries);
          const template = Object.values(own).some((part) => part !== undefined) ? own : null;
          return call(
            api.PATCH('/management/v1/apps/{app_id}', {
              ...target,
              body: { messages: { templates: { [kind]: template } } },
            }),
          );
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
 * A mail as a program for mails shows it. The frame is a page of its own: its policy permits inline styles, as mails have them, and
 * forbids scripts, forms and other hosts. The sandbox forbids them once more; it has the same origin, so that the mail can be put in.
 */
function Mail({ html }: { html: string }) {
  return (
    <iframe
      // A new mail loads a new frame.
      key={html}
      class="mail"
      sandbox="allow-same-origin"
      src="/console/mail"
      title={t.rendered}
      onLoad={({ currentTarget }) => {
        // None after a click on a link of the mail, which the policy blocks.
        const page = currentTarget.contentDocument;
        if (page) page.documentElement.innerHTML = html;
      }}
    />
  );
}
