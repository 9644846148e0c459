// Runs within `npm version`: what is not released yet in the changelog gets the new version and the day. npm commits it and makes the tag.
import { readFileSync, writeFileSync } from 'node:fs';

const NEXT = `## [Unreleased]\n\n### Operators must\n\n- Do nothing beside an [upgrade](docker/pages/upgrade.md).\n\n`;

/** They name the version too. */
const NAMING = [
  'docker/helm/Chart.yaml',
  'docker/pages/kubernetes.md',
  'openapi/client/package.json',
  'openapi/client/README.md',
];

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const text = readFileSync('CHANGELOG.md', 'utf8');
if (!text.includes('## [Unreleased]\n')) throw new Error('CHANGELOG.md has no section [Unreleased].');
const day = new Date().toISOString().slice(0, 10);
writeFileSync('CHANGELOG.md', text.replace('## [Unreleased]\n', `${NEXT}## [${version}] - ${day}\n`));
const former = process.env.npm_old_version;
if (former) for (const file of NAMING) writeFileSync(file, readFileSync(file, 'utf8').replaceAll(former, version));

// npm refuses to publish a release candidate under the tag that an install without a version gets.
const client = JSON.parse(readFileSync('openapi/client/package.json', 'utf8'));
client.publishConfig.tag = version.includes('-') ? 'next' : 'latest';
writeFileSync('openapi/client/package.json', `${JSON.stringify(client, null, 2)}\n`);

// Python writes 1.0.0-rc.1 as 1.0.0rc1.
const project = 'openapi/python/pyproject.toml';
const named = `version = "${version.replace('-rc.', 'rc')}"`;
writeFileSync(project, readFileSync(project, 'utf8').replace(/^version = ".*"$/m, named));
