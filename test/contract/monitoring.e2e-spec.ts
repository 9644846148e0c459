import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
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
});
