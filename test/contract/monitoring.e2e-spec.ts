import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { LOGIN_CALL_BOUNDS, NODE_CALL_BOUNDS } from '../../src/kernel/chain/node-calls.js';
import { eventTypes } from '../../src/kernel/event-types.js';
import { snakeCase } from '../../src/kernel/snake-case.js';
import { LIMITS } from '../../src/modules/apps/domain/app-limits.js';
import { SENDER_QUEUE_CAPACITY } from '../../src/modules/transfer/transfer/domain/sender-queue.js';
import { MOST_OF_APP, MOST_OF_ENDPOINT } from '../../src/modules/webhooks/domain/delivery-queue.js';
import { startApp, type TestApp } from '../support/app.js';
import { type Measured, measuredIn, unknownIn } from '../support/promql.js';
import { startVault, type VaultServer } from '../support/vault-server.js';

const project = join(__dirname, '../..');
const read = (file: string): string => readFileSync(join(project, file), 'utf8');

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook_url: string };
}

const { groups } = parse(read('docker/alerts/rules.yaml')) as { groups: { name: string; rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);

/** The anchors of a page's headings, as GitHub makes them. */
const anchorsOf = (page: string): string[] =>
  [...page.matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_\- ]/gu, '')
      .replaceAll(' ', '-'),
  );

let vault: VaultServer;
let app: TestApp;
let text: string;
let measured: Measured;
beforeAll(async () => {
  vault = await startVault();
  // All that a service can measure: a key provider, and each kind of network that a threshold is about, searched for deposits.
  const rpc = ['http://127.0.0.1:1'];
  const env = {
    ...vault.env,
    ETHEREUM_RPC_URL: rpc[0]!,
    SOLANA_RPC_URL: rpc[0]!,
    NETWORKS: JSON.stringify({ arbitrum: { id: 'eip155:42161', kind: 'arbitrum', rpc } }),
    DEPOSITS: 'on',
  };
  app = await startApp({ env });
  // Calls have labels when there was one.
  await app.call('GET', '/version');
  text = await app.metrics();
  measured = measuredIn(text);
});
afterAll(async () => {
  await app.stop();
  await vault.stop();
});

describe('the alert rules', () => {
  it('name metrics, labels and values that the service has', () => {
    expect(rules.length).toBeGreaterThan(30);
    const faults = rules.flatMap(({ alert, expr }) => unknownIn(expr, measured).map((fault) => `${alert}: ${fault}`));
    expect(faults).toEqual([]);
  });

  it('notice what a service does not have', () => {
    expect(unknownIn('max by (colour) (jobs{state="lost", shape="round"}) > 0 and service_red == 1', measured)).toEqual(
      ['jobs{state="lost"}', 'jobs{shape}', 'service_red', 'by (colour)'],
    );
  });

  it('see the first increase of each counter, because it has samples before', () => {
    const counters = new Set(
      rules.flatMap(({ expr }) => [...expr.matchAll(/increase\((\w+)/g)].map(([, name]) => name!)),
    );
    expect(counters.size).toBeGreaterThan(5);
    expect([...counters].filter((name) => !new RegExp(`^${name}[{ ]`, 'm').test(text))).toEqual([]);
  });

  it('have a name of their own, a severity, a summary, and a heading of a page as their runbook', () => {
    const names = rules.map(({ alert }) => alert);
    expect(new Set(names).size).toBe(names.length);
    for (const { alert, labels, annotations } of rules) {
      expect([alert, labels.severity]).toEqual([alert, expect.stringMatching(/^(page|ticket)$/)]);
      expect([alert, annotations.summary]).toEqual([alert, expect.stringMatching(/^[A-Z'].*\.$/)]);
      const [page, anchor] = annotations.runbook_url.split('#') as [string, string];
      expect(page).toMatch(/^docker\/pages\//);
      expect([alert, ...anchorsOf(read(page))]).toContain(anchor);
    }
  });

  it.each(readdirSync(join(project, 'docker/pages/alerts')))('%s names its alerts, or says what shows it', (name) => {
    const file = `docker/pages/alerts/${name}`;
    const page = read(file);
    const ofRules = rules
      .filter(({ annotations }) => annotations.runbook_url.startsWith(`${file}#`))
      .map(({ alert }) => alert);
    const intro = /^(?:\*\*Alerts?\*\*|\| Alert ).*(?:\n\|.*)*/m.exec(page)?.[0] ?? '';
    const named = [...intro.matchAll(/`([A-Z]\w+)`/g)].map(([, alert]) => alert!);
    expect(named.toSorted()).toEqual(ofRules.toSorted());
    if (ofRules.length === 0) expect(page).toMatch(/^\*\*Shown by\*\*: /m);
  });

  it('have a drill that makes the fault', () => {
    const drills = read('test/drills/alerts.drill.ts');
    const titles = [...drills.matchAll(/\bdrill\(\s*\[([^\]]*)\]|\bit\('([A-Z]\w+): /g)].map(
      ([, list, one]) => list ?? `'${one}'`,
    );
    const drilled = titles.flatMap((title) => [...title.matchAll(/'(\w+)'/g)].map(([, alert]) => alert!));
    expect(drilled.toSorted()).toEqual(rules.map(({ alert }) => alert).toSorted());
  });
});

const LIMIT_CLASSES: ReadonlySet<string> = new Set(
  [...JSON.stringify(eventTypes().find(({ name }) => name === 'limit.reached')).matchAll(/`([\w-]+)`/g)].map(
    ([, name]) => name!,
  ),
);

describe('the page about capacity', () => {
  const page = read('docker/pages/capacity.md');
  const rows = [...page.matchAll(/^\| (.*) \|$/gm)]
    .map(([, row]) => row!.split('|').map((cell) => cell.trim()))
    .slice(2);
  const namesIn = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name!);

  it('names settings, metrics, alerts and headings that exist', () => {
    expect(rows.length).toBeGreaterThan(15);
    const limits = Object.keys(LIMITS).map(snakeCase);
    const config = read('docker/pages/configure.md');
    const alerts = rules.map(({ alert }) => alert);
    for (const [, , settings, , shownBy] of rows as [string, string, string, string, string][]) {
      for (const name of namesIn(settings))
        expect([name, limits.includes(name) || config.includes(`\`${name}\``) || name === 'ulimit -n']).toEqual([
          name,
          true,
        ]);
      const shown = namesIn(shownBy.split('class')[0]!);
      expect([shownBy, shown.length > 0]).toEqual([shownBy, true]);
      for (const name of shown) expect([name, measured.has(name) || alerts.includes(name)]).toEqual([name, true]);
      // An alert has a page of the runbook.
      const links = [...shownBy.matchAll(/\(([\w/-]+\.md)#([\w-]+)\)/g)];
      expect([shownBy, links.length > 0]).toEqual([shownBy, !shown.some((name) => alerts.includes(name))]);
      for (const [, file, anchor] of links) expect(anchorsOf(read(`docker/pages/${file}`))).toContain(anchor);
    }
  });

  it('has a setting for each bound, and the event of each limit of an app', () => {
    for (const [bound, , settings, beyond, shownBy] of rows as unknown as [string, ...string[]][]) {
      expect([bound, settings]).toEqual([bound, expect.stringMatching(/\w/)]);
      // Without a secret key there may be no app.
      const isOfApp = beyond!.includes('429') && settings !== '`PUBLIC_RATE`';
      const classes = namesIn(shownBy!.split('class ')[1] ?? '');
      expect([bound, classes.length]).toEqual([bound, isOfApp ? 1 : 0]);
      for (const name of classes) expect([...LIMIT_CLASSES]).toContain(name);
    }
  });

  it('is about the event that names each limit by which the code refuses', () => {
    const sources = readdirSync(join(project, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.startsWith('console'))
      .map((file) => read(`src/${file}`))
      .filter((source) => /TooManyRequests/.test(source));
    const named = sources.flatMap((source) =>
      [...source.matchAll(/\bname: '([\w-]+)', quota\b|countOf\(\s*'([\w-]+)'|policy\?\.name \?\? '(\w+)'/g)].map(
        ([, policy, send, standard]) => (policy ?? send ?? standard)!,
      ),
    );
    expect(named.length).toBeGreaterThan(8);
    expect([...LIMIT_CLASSES].toSorted()).toEqual([...new Set(named)].toSorted());
  });

  it('has the bounds of the code', () => {
    const of = (what: string): number[] =>
      [...rows.find(([bound]) => bound!.startsWith(what))![0]!.matchAll(/\d[\d,]*/g)].map(([number]) =>
        Number(number.replaceAll(',', '')),
      );
    expect(of('calls of an app')).toEqual([LIMITS.secretKeyCallsPerSecond.standard]);
    expect(of('mails and SMS of an app')).toEqual([LIMITS.sendsPerHour.standard]);
    expect(of('SMS to one country')).toEqual([LIMITS.smsPerCountryPerHour.standard]);
    expect(of('mails and SMS for one')).toEqual([LIMITS.networkSendsPerTenMinutes.standard]);
    expect(of('wrong tries')).toEqual([LIMITS.networkWrongTriesPerHour.standard]);
    expect(of('stored responses')).toEqual([LIMITS.storedAnswersMb.standard, 24]);
    expect(of('payments of a wallet')).toEqual([SENDER_QUEUE_CAPACITY]);
    expect(of('webhooks under way')).toEqual([MOST_OF_ENDPOINT, MOST_OF_APP]);
    const reads = NODE_CALL_BOUNDS;
    expect(of('reads of a chain')).toEqual([reads.perApp, reads.inAll, reads.waitingPerApp]);
    const logins = LOGIN_CALL_BOUNDS;
    expect(of('sign-ins by contract')).toEqual([logins.perApp, logins.inAll, logins.waitingPerApp]);
  });
});

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets: readonly { readonly refId: string; readonly expr: string }[];
  readonly links?: readonly { readonly url: string }[];
}

interface Dashboard {
  readonly uid: string;
  readonly schemaVersion: number;
  readonly templating: { readonly list: readonly { readonly name: string; readonly type: string }[] };
  readonly panels: readonly Panel[];
}

const dashboards = readdirSync(join(project, 'docker/grafana')).map((name) => ({
  name,
  dashboard: JSON.parse(read(`docker/grafana/${name}`)) as Dashboard,
}));

const overlap = ({ gridPos: a }: Panel, { gridPos: b }: Panel): boolean =>
  a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

describe('the dashboards', () => {
  it('are of the service, its logins, payments, webhooks and database, each with an id of its own', () => {
    expect(dashboards.map(({ name }) => name).toSorted()).toEqual(
      ['database', 'logins', 'payments', 'service', 'webhooks'].map((name) => `${name}.json`),
    );
    expect(new Set(dashboards.map(({ dashboard }) => dashboard.uid)).size).toBe(dashboards.length);
  });

  it.each(dashboards)('$name shows metrics, labels and values that the service has', ({ dashboard }) => {
    const faults = dashboard.panels.flatMap(({ title, targets }) =>
      targets.flatMap(({ expr }) => unknownIn(expr, measured).map((fault) => `${title}: ${fault}`)),
    );
    expect(faults).toEqual([]);
  });

  it.each(dashboards)('$name lets the operator choose the data source, and has panels beside each other', (each) => {
    const { schemaVersion, templating, panels } = each.dashboard;
    expect(schemaVersion).toBeGreaterThanOrEqual(41);
    expect(templating.list.map(({ name, type }) => [name, type])).toEqual([
      ['datasource', 'datasource'],
      ['guide', 'textbox'],
    ]);
    const sources = [...JSON.stringify(panels).matchAll(/"uid":"([^"]*)"/g)].map(([, uid]) => uid);
    expect(new Set(sources)).toEqual(new Set(['${datasource}']));
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length);
    for (const [index, panel] of panels.entries()) {
      const { x, w } = panel.gridPos;
      expect([panel.title, x >= 0 && x + w <= 24]).toEqual([panel.title, true]);
      const others = panels.slice(index + 1).filter((other) => overlap(panel, other));
      expect([panel.title, others.map(({ title }) => title)]).toEqual([panel.title, []]);
      expect(new Set(panel.targets.map(({ refId }) => refId)).size).toBe(panel.targets.length);
    }
  });

  it.each(dashboards)('$name leads to headings of the runbook', ({ dashboard }) => {
    const links = dashboard.panels.flatMap((panel) => panel.links ?? []);
    expect(links.length).toBeGreaterThan(1);
    for (const { url } of links) {
      const [, page, anchor] = /^\$\{guide:raw\}\/(alerts\/[a-z-]+)#(.+)$/.exec(url)!;
      expect(anchorsOf(read(`docker/pages/${page}.md`))).toContain(anchor);
    }
  });
});
