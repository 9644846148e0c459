import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const project = join(__dirname, '../..');
const read = (file: string): string => readFileSync(join(project, file), 'utf8');

const KINDS = ['Operators must', 'Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'];

/** The sections of releases by their titles. */
const sections = read('CHANGELOG.md')
  .split(/^## /m)
  .slice(1)
  .map((section) => {
    const [title, ...lines] = section.split('\n');
    return { title: title!, kinds: lines.filter((line) => line.startsWith('### ')).map((line) => line.slice(4)) };
  });

describe('the changelog', () => {
  it('has a section of the version in package.json, below what is not released', () => {
    const { version } = JSON.parse(read('package.json')) as { version: string };
    const [first, ...releases] = sections.map(({ title }) => title);
    expect(first).toBe('[Unreleased]');
    for (const release of releases) expect(release).toMatch(/^\[\d+\.\d+\.\d+(?:-[\w.]+)?\] - \d{4}-\d{2}-\d{2}$/);
    expect(releases.map((release) => /\[(.*)\]/.exec(release)![1])).toContain(version);
  });

  it('says first what operators must do, and has the kinds of Keep a Changelog', () => {
    for (const { title, kinds } of sections) {
      expect([title, kinds[0]]).toEqual([title, 'Operators must']);
      expect([title, kinds.filter((kind) => !KINDS.includes(kind))]).toEqual([title, []]);
      expect([title, new Set(kinds).size]).toEqual([title, kinds.length]);
    }
  });

  it('gets a section of its own with each version that npm makes', () => {
    const folder = mkdtempSync(join(tmpdir(), 'release-'));
    try {
      const files = ['CHANGELOG.md', 'openapi/client/package.json', 'openapi/python/pyproject.toml'];
      for (const file of files) cpSync(join(project, file), join(folder, file));
      writeFileSync(join(folder, 'package.json'), '{"version":"9.8.7"}');
      execFileSync(process.execPath, [join(project, '.ci/release.mjs')], { cwd: folder });
      const titles = [...readFileSync(join(folder, 'CHANGELOG.md'), 'utf8').matchAll(/^## (.*)$/gm)].map(
        ([, title]) => title,
      );
      expect(titles.slice(0, 2)).toEqual(['[Unreleased]', expect.stringMatching(/^\[9\.8\.7\] - \d{4}-\d\d-\d\d$/)]);
      expect(titles.slice(2)).toEqual(sections.slice(1).map(({ title }) => title));
      const written = (file: string) => readFileSync(join(folder, file), 'utf8');
      expect(JSON.parse(written(files[1]!))).toMatchObject({ publishConfig: { tag: 'latest' } });
      expect(written(files[2]!)).toContain('version = "9.8.7"');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('links to files that exist', () => {
    const links = [...read('CHANGELOG.md').matchAll(/\]\((?!http)([^)#]+)/g)].map(([, path]) => path!);
    expect(links.filter((path) => !existsSync(join(project, path)))).toEqual([]);
  });
});
