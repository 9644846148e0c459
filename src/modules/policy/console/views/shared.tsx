import type { ApproverGroup } from '../../../../../openapi/client/src/index.js';
import { api, call } from '../../../../console/api.js';
import { type Loaded, useLoad } from '../../../../console/load.js';
import { labelOf } from '../../../../console/ui/people.js';
import { Line } from '../../../../console/ui/states.js';
import { policyInWords, type Scope, scopeInWords } from './words.js';
import type { Draft } from './draft.js';
import texts from './texts.json';
import { home } from '../../../../console/root.js';

const SCOPE_PAGES = { app: '', wallet: '/wallets/', user: '/users/', key: '/keys', client: '', grant: '' } as const;

/** Keys have no page of their own, clients and grants have none. */
export function ScopeLink({ appId, scope }: { appId: string; scope: Scope }) {
  const id = scope.kind === 'wallet' || scope.kind === 'user' ? (scope.id ?? '') : '';
  return <Line of={scopeInWords(scope)} href={`${home}/apps/${appId}${SCOPE_PAGES[scope.kind]}${id}`} />;
}

export const groupsOf = async (appId: string): Promise<readonly ApproverGroup[]> => {
  const params = { path: { app_id: appId }, query: { limit: 100 } };
  return (await call(api.GET('/management/v1/apps/{app_id}/approver_groups', { params }))).approver_groups;
};

export const activeOf = async (appId: string) => {
  const params = { path: { app_id: appId }, query: { limit: 100, state: 'active' as const } };
  return (await call(api.GET('/management/v1/apps/{app_id}/policies', { params }))).policies;
};

export const namesIn =
  (groups: readonly ApproverGroup[]) =>
  (id: string): string =>
    groups.find((group) => group.id === id)?.name ?? id;

/** A deleted user has no label. */
export function useLabels(appId: string, ids: readonly string[]): Loaded<ReadonlyMap<string, string>> {
  return useLoad(async () => {
    const found = await Promise.all(
      ids.map(async (id) => {
        const params = { path: { app_id: appId, user_id: id } };
        const { data } = await api.GET('/management/v1/apps/{app_id}/users/{user_id}', { params });
        return data ? ([[id, labelOf(data)]] as const) : [];
      }),
    );
    return new Map(found.flat());
  }, [ids.join()]);
}

/** A draft that was entered as JSON may have members that have no words yet. */
function wordsOf({ scope, rules }: Draft, nameOf: (id: string) => string): readonly string[] {
  try {
    return policyInWords(scope, rules, nameOf);
  } catch {
    return [];
  }
}

type Named = readonly (readonly [id: string, name: string])[];

/** A draft as sentences, with the names of what it names by an id. */
export function Sentence({
  draft,
  choices: { groups, keys, clients },
  note,
}: {
  draft: Draft;
  choices: { readonly groups: Named; readonly keys: Named; readonly clients: Named };
  note?: string;
}) {
  const nameIn = (named: Named, id: string): string => named.find(([each]) => each === id)?.[1] ?? id;
  const { scope } = draft;
  const named = { ...draft, scope: { ...scope, id: nameIn([...keys, ...clients], scope?.id ?? '') } };
  return (
    <section class="card sentence" aria-label={texts.draft.sentence}>
      <h2>{texts.draft.sentence}</h2>
      {wordsOf(named, (id) => nameIn(groups, id)).map((sentence, index) => (
        <p key={index}>{sentence}</p>
      ))}
      {note && <p class="hint">{note}</p>}
    </section>
  );
}
