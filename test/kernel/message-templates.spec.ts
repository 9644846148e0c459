import { fillTemplate, placeholdersIn } from '../../src/kernel/message-templates.js';
import { unitsOf } from '../support/processor-time.js';

it('a placeholder may have blanks around its name', () => {
  const template = '{{link}} {{ app_name }} {{\n code }} { {x} } {{}}';
  expect(placeholdersIn(template)).toEqual(['link', 'app_name', 'code', '']);
  expect(fillTemplate(template, { link: '1', app_name: '{{code}}', code: '3' }, (text) => text)).toBe(
    '1 {{code}} 3 { {x} } ',
  );
});

it.each([
  ['blanks behind an open bracket', `{{${' '.repeat(60_000)}`],
  ['open brackets', '{{'.repeat(30_000)],
  ['names without an end', '{{ x'.repeat(15_000)],
])('a template of 60,000 characters of %s is read at once', async (_, template) => {
  expect(await unitsOf(() => placeholdersIn(template))).toBeLessThan(50);
});
