import type { components, Policy } from '../../../../../openapi/client/src/index.js';
import { api, call } from '../../../../console/api.js';
import { useLoad } from '../../../../console/load.js';
import type { PageProps } from '../../../../console/page.js';
import { refusalFor } from '../../../../console/session.js';
import { fill, text } from '../../../../console/text.js';
import { Action } from '../../../../console/ui/dialog.js';
import { useFilters } from '../../../../console/ui/filter.js';
import { Await, Copyable, Facts, Page, State, Time } from '../../../../console/ui/states.js';
import { Table } from '../../../../console/ui/table.js';
import { changesBetween, isReordered } from './compared.js';
import { columnsOf } from './policies.js';
import { activeOf, groupsOf, namesIn, ScopeLink } from './shared.js';
import texts from './texts.json';
import { countsSignatures, type NameOfGroup, ruleInWords, scopeInWords } from './words.js';
import { home } from '../../../../console/root.js';

const t = texts.policy;
type Details = components['schemas']['PolicyDetailsResponse'];

const POLICY = '/management/v1/apps/{app_id}/policies/{policy_id}';

export function PolicyPage({ appId, id }: PageProps) {
  const target = { params: { path: { app_id: appId, policy_id: id } } };
  const loaded = useLoad(async () => {
    const [policy, active, groups] = await Promise.all([
      call(api.GET(POLICY, target)),
      activeOf(appId),
      groupsOf(appId),
    ]);
    return { policy, active, nameOf: namesIn(groups) };
  }, [id]);
  const { policy, active } = loaded.data ?? {};
  return (
    <Page
      title={policy?.name ?? t.title}
      intro={policy && fill(t.versionOf, { version: policy.version })}
      actions={policy && active && <Actions appId={appId} policy={policy} active={active} />}
    >
      <Await loaded={loaded}>
        {({ policy: found, nameOf }) => (
          <>
            <Facts
              items={[
                [text.state, <State of={found.state} />],
                [texts.policies.scope, <ScopeLink appId={appId} scope={found.scope} />],
                [texts.rule.id, <Copyable value={found.id} />],
                [text.created, <Time at={found.created_at} />],
                [texts.policies.activated, <Time at={found.activated_at} />],
                [texts.policies.retired, <Time at={found.retired_at} />],
              ]}
            />
            <Rules policy={found} nameOf={nameOf} />
            <Versions appId={appId} policy={found} nameOf={nameOf} />
          </>
        )}
      </Await>
    </Page>
  );
}

function Actions({ appId, policy, active }: { appId: string; policy: Details; active: readonly Policy[] }) {
  const { id, name, version, state } = policy;
  const target = { params: { path: { app_id: appId, policy_id: id } } };
  const shared = (consequences: readonly string[]) =>
    ({ text: t, values: { name, version, consequences: consequences.join(' ') }, need: 'operator' }) as const;
  return (
    <>
      {refusalFor('operator') === null && <a href={`${home}/apps/${appId}/policies/new?from=${id}`}>{t.next}</a>}
      {state !== 'active' && (
        <Action
          {...shared(consequencesOfActivation(policy, active))}
          name="activate"
          isPrimary
          run={() => call(api.POST(`${POLICY}/activate`, target))}
        />
      )}
      {state !== 'retired' && (
        <Action
          {...shared(consequencesOfRetirement(policy, active))}
          name="retire"
          isDangerous
          run={() => call(api.POST(`${POLICY}/retire`, target))}
        />
      )}
    </>
  );
}

const judgesSame = (a: Pick<Policy, 'scope'>, b: Pick<Policy, 'scope'>): boolean =>
  a.scope.kind === b.scope.kind && a.scope.id === b.scope.id;

function consequencesOfActivation(policy: Details, active: readonly Policy[]): readonly string[] {
  const previous = active.find(({ name }) => name === policy.name);
  const isFirst = !active.some((each) => judgesSame(each, policy));
  const scope = scopeInWords(policy.scope);
  return [
    previous && fill(t.replaces, { version: previous.version }),
    previous && !judgesSame(previous, policy) && fill(t.replacesScope, { before: scopeInWords(previous.scope) }),
    isFirst && fill(t.closes, { scope }),
    // In a scope that no policy has bounded, and with no earlier version elsewhere, it can only refuse more.
    (previous || !isFirst) && (policy.allows_more ? t.allowsMore : t.allowsLess),
  ].filter((sentence) => typeof sentence === 'string');
}

function consequencesOfRetirement(policy: Details, active: readonly Policy[]): readonly string[] {
  if (policy.state === 'draft') return [t.withdraws];
  const scope = scopeInWords(policy.scope);
  const isLast = !active.some((each) => each.id !== policy.id && judgesSame(each, policy));
  return [t.endsRequests, fill(isLast ? t.opens : t.staysClosed, { scope })];
}

function Rules({ policy, nameOf }: { policy: Policy; nameOf: NameOfGroup }) {
  return (
    <section>
      <h2>{t.rules}</h2>
      <p class="hint">{t.order}</p>
      {policy.rules.some(countsSignatures) && <p class="notice">{t.postdated}</p>}
      <div class="beside">
        <ol>
          {policy.rules.map((rule) => (
            <li key={rule.id} class="wrap">
              {ruleInWords(rule, nameOf)} <code class="faint">{rule.id}</code>
            </li>
          ))}
        </ol>
        <pre aria-label={t.asJson} tabIndex={0}>
          {JSON.stringify(policy.rules, null, 2)}
        </pre>
      </div>
    </section>
  );
}

function Versions({ appId, policy, nameOf }: { appId: string; policy: Policy; nameOf: NameOfGroup }) {
  const query = { limit: 100, name: policy.name };
  const loaded = useLoad(
    () => call(api.GET('/management/v1/apps/{app_id}/policies', { params: { path: { app_id: appId }, query } })),
    [policy.id],
  );
  return (
    <section>
      <h2>{t.versions}</h2>
      <Await loaded={loaded}>
        {({ policies }) => (
          <>
            <Table caption={t.versions} columns={columnsOf(appId)} rows={policies} empty={t.noVersions} />
            {policies.length > 1 && <Comparison policy={policy} versions={policies} nameOf={nameOf} />}
          </>
        )}
      </Await>
    </section>
  );
}

interface ComparisonProps {
  readonly policy: Policy;
  readonly versions: readonly Policy[];
  readonly nameOf: NameOfGroup;
}

function Comparison({ policy, versions, nameOf }: ComparisonProps) {
  const candidates = versions.filter(({ id }) => id !== policy.id);
  const options = candidates.map(
    ({ id, version, state }) => [id, `${fill(t.versionOf, { version })}: ${state}`] as const,
  );
  const preset =
    candidates.find(({ state }) => state === 'active') ??
    candidates.find(({ version }) => version < policy.version) ??
    candidates[0]!;
  const { values, form } = useFilters([{ name: 'with', label: t.compare, options: withFirst(options, preset.id) }]);
  const chosen = candidates.find(({ id }) => id === values.with) ?? preset;
  const [before, after] = chosen.version < policy.version ? [chosen, policy] : [policy, chosen];
  const changes = changesBetween(before.rules, after.rules);
  const caption = fill(t.compared, { before: before.version, after: after.version });
  return (
    <section>
      <h3>{caption}</h3>
      {form}
      {!judgesSame(before, after) && (
        <p class="notice">
          {fill(t.otherScope, { before: scopeInWords(before.scope), after: scopeInWords(after.scope) })}
        </p>
      )}
      {isReordered(before.rules, after.rules) && <p class="notice">{t.reordered}</p>}
      <Table
        caption={caption}
        empty={t.same}
        rows={changes}
        columns={[
          { head: t.rule, isName: true, cell: ({ id }) => <code class="name">{id}</code> },
          {
            head: t.change,
            cell: (change) => {
              const kind = change.before ? (change.after ? 'changed' : 'removed') : 'added';
              return (
                <State of={kind} tone={kind === 'added' ? 'good' : kind === 'removed' ? 'bad' : 'wait'}>
                  {t[kind]}
                </State>
              );
            },
          },
          ...(['before', 'after'] as const).map((side) => ({
            head: t[side],
            cell: ({ [side]: rule, fields }: (typeof changes)[number]) =>
              rule ? (
                <>
                  <span class="wrap">{ruleInWords(rule, nameOf)}</span>
                  {fields && (
                    <details>
                      <summary>{t.details}</summary>
                      <pre>{JSON.stringify(fields[side], null, 2)}</pre>
                    </details>
                  )}
                </>
              ) : (
                ''
              ),
          })),
        ]}
      />
    </section>
  );
}

const withFirst = <Option extends readonly [string, string]>(options: readonly Option[], first: string): Option[] =>
  options.toSorted(([a], [b]) => Number(b === first) - Number(a === first));
