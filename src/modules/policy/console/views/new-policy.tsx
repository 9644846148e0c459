import { useLocation } from 'preact-iso';
import { useEffect, useState } from 'preact/hooks';
import { api, call } from '../../../../console/api.js';
import { useLoad } from '../../../../console/load.js';
import type { PageProps } from '../../../../console/page.js';
import { refusalFor } from '../../../../console/session.js';
import { fill } from '../../../../console/text.js';
import { Form } from '../../../../console/ui/form.js';
import { Await, Page } from '../../../../console/ui/states.js';
import {
  type Draft,
  draftFrom,
  draftIn,
  EMPTY,
  fieldsOfDraft,
  jsonOf,
  needsApprovals,
  NEW_WINDOW,
  OPERATIONS,
  windowsOf,
} from './draft.js';
import { groupsOf, Sentence } from './shared.js';
import { type Choices, choicesOf, TemplateForm, TEMPLATES, Tiles } from './templates.js';
import texts from './texts.json';
import { home } from '../../../../console/root.js';

const t = texts.draft;
type Rule = Draft['rules'][number];

/** `?from=pol_…` makes the next version of that policy. */
export function NewPolicyPage({ appId }: PageProps) {
  const { from, template: named } = useLocation().query;
  const template = TEMPLATES.find((each) => each === named);
  // A template goes on in the inputs for every field.
  const [edited, edit] = useState<{ readonly template: string; readonly draft: Draft }>();
  const ofTemplate = edited && edited.template === template ? edited.draft : undefined;
  const { route } = useLocation();
  const loaded = useLoad(async () => {
    const [groups, draft] = await Promise.all([groupsOf(appId), from === undefined ? EMPTY : draftLike(appId, from)]);
    const choices = await choicesOf(
      appId,
      groups.map(({ id, name }) => [id, name] as const),
    );
    return { draft, choices };
  }, [from]);
  useEffect(() => edit(undefined), [template]);
  const store = async (draft: Draft): Promise<void> => {
    const params = { path: { app_id: appId } };
    const { id } = await call(api.POST('/management/v1/apps/{app_id}/policies', { params, body: draft }));
    route(`${home}/apps/${appId}/policies/${id}`);
  };
  return (
    <Page title={t.title} intro={t.intro}>
      {from === undefined && <Tiles appId={appId} chosen={template ?? 'empty'} />}
      <Await loaded={loaded}>
        {({ draft, choices }) =>
          template && !ofTemplate ? (
            <TemplateForm
              key={template}
              appId={appId}
              template={template}
              choices={choices}
              store={store}
              edit={(next) => edit({ template, draft: next })}
            />
          ) : (
            <Editor key={template} appId={appId} initial={ofTemplate ?? draft} choices={choices} store={store} />
          )
        }
      </Await>
    </Page>
  );
}

async function draftLike(appId: string, id: string): Promise<Draft> {
  const params = { path: { app_id: appId, policy_id: id } };
  const policy = await call(api.GET('/management/v1/apps/{app_id}/policies/{policy_id}', { params }));
  return { name: policy.name, scope: policy.scope, rules: policy.rules };
}

interface EditorProps {
  readonly appId: string;
  readonly initial: Draft;
  readonly choices: Choices;
  readonly store: (draft: Draft) => Promise<void>;
}

function Editor({ appId, initial, choices, store }: EditorProps) {
  const { groups, keys, clients } = choices;
  const [draft, setDraft] = useState(initial);
  const [json, setJson] = useState(() => jsonOf(initial));
  // The inputs show the draft again when it was changed by something else than an input.
  const [version, setVersion] = useState(0);
  const show = (next: Draft): void => {
    setDraft(next);
    setVersion(version + 1);
  };
  const change = (next: Draft): void => {
    show(next);
    setJson(jsonOf(next));
  };
  const read = draftIn(json);
  const fault = typeof read === 'string' ? read : null;
  return (
    <div class="beside">
      <Form
        fields={fieldsOfDraft(draft, groups, { key: keys, client: clients })}
        version={version}
        submitLabel={t.store}
        refusal={refusalFor('operator') ?? fault}
        edited={(entries) => {
          const next = draftFrom(entries, draft);
          setDraft(next);
          setJson(jsonOf(next));
        }}
        submit={() => store(draft)}
        layout={(input) => (
          <>
            <div class="fields">{['name', 'scope.kind', 'scope.id'].map(input)}</div>
            <h2>{t.rules}</h2>
            {draft.rules.map((rule, index) => (
              <RuleInputs
                key={index}
                rule={rule}
                index={index}
                input={input}
                isOnly={draft.rules.length === 1}
                change={(...next) => change({ ...draft, rules: draft.rules.toSpliced(index, 1, ...next) })}
                moveUp={() => change({ ...draft, rules: movedUp(draft.rules, index) })}
              />
            ))}
            <p>
              <button type="button" onClick={() => change({ ...draft, rules: [...draft.rules, { effect: 'allow' }] })}>
                {t.addRule}
              </button>
            </p>
            {groups.length === 0 && draft.rules.some(needsApprovals) && (
              <p class="notice">
                {t.noGroup} <a href={`${home}/apps/${appId}/approver-groups/new`}>{texts.groups.new}</a>
              </p>
            )}
          </>
        )}
      />
      <div class="field">
        <Sentence draft={draft} choices={choices} />
        <label for="draft-json">{t.json}</label>
        <textarea
          id="draft-json"
          rows={30}
          spellcheck={false}
          value={json}
          aria-describedby="draft-json-hint draft-json-fault"
          aria-invalid={fault !== null || undefined}
          onInput={({ currentTarget: { value } }) => {
            setJson(value);
            const next = draftIn(value);
            if (typeof next !== 'string') show(next);
          }}
        />
        <span class="hint" id="draft-json-hint">
          {t.json_hint}
        </span>
        <span class="refusal" id="draft-json-fault" role="status">
          {fault}
        </span>
      </div>
    </div>
  );
}

const movedUp = (rules: readonly Rule[], index: number): Rule[] =>
  rules.toSpliced(index, 1).toSpliced(index - 1, 0, rules[index]!);

interface RuleProps {
  readonly rule: Rule;
  readonly index: number;
  readonly input: (name: string) => preact.ComponentChildren;
  readonly isOnly: boolean;
  readonly change: (...next: readonly Rule[]) => void;
  readonly moveUp: () => void;
}

function RuleInputs({ rule, index, input, isOnly, change, moveUp }: RuleProps) {
  const at = `rules[${index}]`;
  const r = texts.rule;
  const windows = windowsOf(rule) as NonNullable<Rule['windows']>;
  const number = index + 1;
  const withWindows = (next: typeof windows): void => {
    const { windows: _earlier, ...more } = rule;
    change(next.length > 0 ? { ...more, windows: next } : more);
  };
  const each = (prefix: string, ...names: readonly string[]) => names.map((name) => input(`${prefix}${name}`));
  return (
    <fieldset class="card">
      <legend>{fill(r.numbered, { number })}</legend>
      <div class="fields many">{each(`${at}.`, 'id', 'effect')}</div>
      <fieldset class="checks">
        <legend>{r.operations}</legend>
        {each(`${at}.match.operations `, ...OPERATIONS)}
      </fieldset>
      <div class="fields many">
        {each(`${at}.match.`, 'networks', 'assets', 'destinations', 'amount.min', 'amount.max')}
      </div>
      {windows.map((_, place) => (
        <fieldset key={place}>
          <legend>{fill(r.budget, { number: place + 1 })}</legend>
          <div class="fields many">{each(`${at}.windows[${place}].`, 'seconds', 'max_amount', 'max_count', 'per')}</div>
          <button type="button" onClick={() => withWindows(windows.toSpliced(place, 1))}>
            {fill(t.removeWindow, { number: place + 1 })}
          </button>
        </fieldset>
      ))}
      {needsApprovals(rule) && (
        <fieldset>
          <legend>{r.approvals}</legend>
          <div class="fields many">{each(`${at}.approvals.`, 'group', 'count', 'expires_in')}</div>
        </fieldset>
      )}
      <div class="actions">
        {rule.effect !== 'deny' && (
          <button type="button" onClick={() => withWindows([...windows, NEW_WINDOW])}>
            {fill(t.addWindow, { number })}
          </button>
        )}
        {index > 0 && (
          <button type="button" onClick={moveUp}>
            {fill(t.moveUp, { number })}
          </button>
        )}
        {!isOnly && (
          <button type="button" onClick={() => change()}>
            {fill(t.removeRule, { number })}
          </button>
        )}
      </div>
    </fieldset>
  );
}
