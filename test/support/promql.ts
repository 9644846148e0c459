/** The names in a text of metrics, each with its labels, and each label with its values. */
export type Measured = ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>;

/** Metrics without a sample are in it too. Of a histogram it has the three names under which Prometheus keeps it. */
export function measuredIn(text: string): Measured {
  const measured = new Map<string, Map<string, Set<string>>>();
  for (const [, name, type] of text.matchAll(/^# TYPE (\S+) (\w+)$/gm))
    for (const suffix of type === 'histogram' ? ['_bucket', '_count', '_sum'] : [''])
      measured.set(`${name}${suffix}`, new Map());
  for (const [, name, labels] of text.matchAll(/^([a-z]\w*)\{(.*)\} \S+$/gm)) {
    const known = measured.get(name!);
    for (const [, label, value] of labels!.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g))
      known?.set(label!, (known.get(label!) ?? new Set()).add(value!));
  }
  return measured;
}

interface Selector {
  readonly metric: string;
  readonly matchers: readonly { readonly label: string; readonly values: readonly string[] }[];
}

const WORDS = new Set(['and', 'or', 'unless', 'bool', 'offset']);

/** The part of PromQL that the rules and dashboards use. */
export function queryOf(expression: string): { readonly selectors: Selector[]; readonly labels: string[] } {
  const labels: string[] = [];
  const rest = expression.replace(/\b(?:by|without|on|ignoring)\s*\(([^)]*)\)/g, (_, list: string) => {
    labels.push(...list.split(',').map((label) => label.trim()));
    return '';
  });
  const selectors = [...rest.matchAll(/\b([a-z_][a-z0-9_]*)\b(?!\s*\()(?:\{([^}]*)\})?|\{[^}]*\}|\[[^\]]*\]/g)]
    .filter(([, metric]) => metric !== undefined && !WORDS.has(metric))
    .map(([, metric, matchers = '']) => ({
      metric: metric!,
      matchers: [...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"([^"]*)"/g)].map(([, label, values]) => ({
        label: label!,
        values: values!.split('|'),
      })),
    }));
  return { selectors, labels };
}

/** Labels that Prometheus adds to each metric. */
const OF_THE_SCRAPE = ['instance', 'job'];
/** Labels with values that come with the use: statuses and routes of calls. */
const OPEN = ['status', 'route', 'method'];

/** Names, labels and values in an expression that the service does not have. */
export function unknownIn(expression: string, measured: Measured): string[] {
  const { selectors, labels } = queryOf(expression);
  const grouping = labels.filter(
    (label) =>
      !OF_THE_SCRAPE.includes(label) && !selectors.some(({ metric }) => measured.get(metric)?.has(label) ?? false),
  );
  const faults = selectors.flatMap(({ metric, matchers }) => {
    const known = measured.get(metric);
    if (!known) return [metric];
    return matchers.flatMap(({ label, values }) => {
      if (OF_THE_SCRAPE.includes(label)) return [];
      if (!known.has(label)) return [`${metric}{${label}}`];
      if (OPEN.includes(label)) return [];
      return values.filter((value) => !known.get(label)!.has(value)).map((value) => `${metric}{${label}="${value}"}`);
    });
  });
  if (selectors.length === 0) faults.push('an expression without a metric');
  return [...faults, ...grouping.map((label) => `by (${label})`)];
}
