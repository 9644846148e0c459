import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ensureBuilt } from '../support/built.js';

it('the demo of a sign-in at another program meets all its expectations', async () => {
  await ensureBuilt();
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', 'test/demo/demo-sign-in.ts']);
  expect(stdout).toContain('"email": "ann@example.com"');
  expect(stdout).toContain('Ann revokes her consent, and the shop gets:\n  invalid_grant');
});
