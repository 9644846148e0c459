import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { settingsRead } from '../support/settings-read.js';

const project = join(__dirname, '../..');
const read = (file: string): string => readFileSync(join(project, file), 'utf8');

const { version } = JSON.parse(read('package.json')) as { version: string };
const [user, group] = /^USER (\d+):(\d+)$/m.exec(read('docker/Dockerfile'))!.slice(1).map(Number);
const isSetting = (name: string): boolean => settingsRead.has(name.replace(/_FILE$/, ''));
/** How long a process may take to end after DRAIN_SECONDS, as docker/pages/run.md says. */
const AFTER_DRAIN = 25;

describe('the unit of systemd', () => {
  const unit = read('docker/systemd/identity-and-wallets.service');
  const valueOf = (name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)![1]!;
  const environment = [...unit.matchAll(/^Environment=(.*)$/gm)].flatMap(([, list]) => list!.split(' '));

  it('starts the program of the image, and sets only variables that the configuration reads', () => {
    const [, command] = /^CMD (\[.*\])$/m.exec(read('docker/Dockerfile'))!;
    expect(valueOf('ExecStart')).toBe(`/usr/bin/${(JSON.parse(command!) as string[]).join(' ')}`);
    expect(environment.map((each) => each.split('=')[0]!).filter((name) => !isSetting(name))).toEqual([]);
  });

  it('holds no secret: each is a file that systemd passes on', () => {
    const secrets = environment.filter((each) => /KEY|_URL|SECRET/.test(each));
    expect(secrets.length).toBeGreaterThan(3);
    for (const secret of secrets) expect(secret).toMatch(/^[A-Z_]+_FILE=%d\/secrets_[a-z-]+$/);
  });

  it('says how a command gets the same settings and secrets', () => {
    const folder = mkdtempSync(join(tmpdir(), 'unit-'));
    try {
      writeFileSync(join(folder, 'settings'), `BASE_URL=https://id.example\nMAIL_FROM='Shop <no-reply@id.example>'\n`);
      const [, lines] = /A command, as root:\n((?:#   .*\n)+)/.exec(unit)!;
      const script = lines!
        .replace(/^#   /gm, '')
        .replace('cd /opt/identity-and-wallets', `cd ${project}`)
        .replace('systemctl cat identity-and-wallets', 'cat docker/systemd/identity-and-wallets.service')
        .replaceAll('/etc/identity-and-wallets', folder)
        .replace('node dist/src/cli.js doctor', 'env');
      const given = execFileSync('sh', ['-euc', script], { encoding: 'utf8', env: { PATH: process.env['PATH'] } });
      const expected = environment.map((each) => each.replace('%d/secrets_', `${folder}/secrets/`));
      expect(given.split('\n')).toEqual(
        expect.arrayContaining([...expected, 'BASE_URL=https://id.example', 'MAIL_FROM=Shop <no-reply@id.example>']),
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('waits for the drain, and gives the process no right that it does not need', () => {
    const drain = Number(environment.find((each) => each.startsWith('DRAIN_SECONDS='))!.split('=')[1]);
    expect(Number(valueOf('TimeoutStopSec'))).toBe(drain + AFTER_DRAIN);
    expect(['DynamicUser', 'NoNewPrivileges', 'PrivateTmp'].map(valueOf)).toEqual(['yes', 'yes', 'yes']);
    expect([valueOf('ProtectSystem'), valueOf('CapabilityBoundingSet')]).toEqual(['strict', '']);
  });
});

describe('the chart', () => {
  it('has the version of the service, and holds no secret', () => {
    expect(parse(read('docker/helm/Chart.yaml'))).toMatchObject({ version, appVersion: version });
    expect(parse(read('docker/helm/values.yaml'))).toMatchObject({ secretName: '', env: {} });
  });
});

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- the shape differs between kinds
  readonly spec: any;
}

const VALUES = {
  image: { repository: 'registry.example/identity' },
  secretName: 'identity-secrets',
  env: { BASE_URL: 'https://id.example', TRUST_PROXY: '1' },
  drainSeconds: 7,
  monitoring: { enabled: true, runbooks: 'https://git.example/id/' },
};

// A template engine other than Helm's would show what Helm does not do.
const hasHelm = spawnSync('helm', ['version']).status === 0;
(hasHelm ? describe : describe.skip)('the chart, rendered (skipped where `helm` is not installed)', () => {
  let manifests: Manifest[];
  beforeAll(() => {
    const folder = mkdtempSync(join(tmpdir(), 'chart-'));
    const values = join(folder, 'values.yaml');
    writeFileSync(values, JSON.stringify(VALUES));
    try {
      const text = execFileSync(
        'helm',
        ['template', 'identity', 'docker/helm', '--kube-version', '1.25.0', '--values', values],
        {
          cwd: project,
          encoding: 'utf8',
        },
      );
      manifests = parseAllDocuments(text)
        .map((document) => document.toJS() as Manifest | null)
        .filter((manifest) => manifest !== null);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
  const ofKind = (kind: string): Manifest[] => manifests.filter((manifest) => manifest.kind === kind);
  const podsOf = (): Manifest[] => [...ofKind('Deployment'), ...ofKind('Job')];

  it('has two deployments with a disruption budget each, a job before them, services, a policy and the monitors', () => {
    const names = manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(names.toSorted()).toEqual([
      'Deployment identity-api',
      'Deployment identity-worker',
      'Job identity-migrate',
      'NetworkPolicy identity',
      'PodDisruptionBudget identity-api',
      'PodDisruptionBudget identity-worker',
      'PrometheusRule identity',
      'Service identity',
      'Service identity-health',
      'ServiceMonitor identity',
    ]);
    expect(ofKind('Job')[0]!.metadata.annotations).toMatchObject({ 'helm.sh/hook': 'pre-install,pre-upgrade' });
  });

  it('gives each pod the user of the image, a root that is read-only, and the settings of the Secret', () => {
    for (const { spec } of podsOf()) {
      const pod = spec.template.spec;
      expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: user, runAsGroup: group });
      const [container] = pod.containers;
      expect(container).toMatchObject({
        image: `registry.example/identity:${version}`,
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
        envFrom: [{ secretRef: { name: 'identity-secrets' } }],
      });
      const given = (container.env as { name: string }[]).map(({ name }) => name);
      expect(given.filter((name) => !isSetting(name))).toEqual([]);
      expect(given).toEqual(expect.arrayContaining(['BASE_URL', 'ROLE', 'HEALTH_PORT']));
    }
  });

  it('probes the health port, and waits for the drain', () => {
    for (const { spec } of ofKind('Deployment')) {
      const pod = spec.template.spec;
      expect(pod.terminationGracePeriodSeconds).toBe(VALUES.drainSeconds + AFTER_DRAIN);
      const [{ env, ports, livenessProbe, readinessProbe }] = pod.containers;
      const valueOf = (name: string) => (env as { name: string; value: string }[]).find((each) => each.name === name)!;
      expect(ports).toContainEqual({ name: 'health', containerPort: Number(valueOf('HEALTH_PORT').value) });
      expect(valueOf('DRAIN_SECONDS').value).toBe(String(VALUES.drainSeconds));
      expect([livenessProbe.httpGet, readinessProbe.httpGet]).toEqual([
        { path: '/livez', port: 'health' },
        { path: '/readyz', port: 'health' },
      ]);
    }
  });

  it('has the alert rules, with the address of the runbook', () => {
    const { groups } = parse(
      read('docker/alerts/rules.yaml').replaceAll('docker/pages', 'https://git.example/id/docker/pages'),
    ) as {
      groups: object[];
    };
    expect(ofKind('PrometheusRule')[0]!.spec).toEqual({ groups });
  });
});

it('the page about Kubernetes names values that the chart has', () => {
  const page = read('docker/pages/kubernetes.md');
  const [, block] = /```yaml\n([\s\S]*?)```/.exec(page)!;
  const values = parse(read('docker/helm/values.yaml')) as Record<string, unknown>;
  const given = parse(block!) as Record<string, unknown>;
  expect(Object.keys(given).filter((name) => !(name in values))).toEqual([]);
  expect(Object.keys(given['env'] as object).filter((name) => !isSetting(name))).toEqual([]);
  expect(readdirSync(join(project, 'docker/helm/templates')).length).toBeGreaterThan(4);
});
