import { existsSync, readFileSync } from 'node:fs';
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

  it('links to files that exist', () => {
    const links = [...read('CHANGELOG.md').matchAll(/\]\((?!http)([^)#]+)/g)].map(([, path]) => path!);
    expect(links.filter((path) => !existsSync(join(project, path)))).toEqual([]);
  });
});
