import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ensureBuilt } from '../support/built.js';

it('the demo of an agent meets all its expectations, and prints the figures of the race', async () => {
  await ensureBuilt();
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', 'test/demo/demo-agent.ts']);
  expect(stdout).toContain('30 are paid, and 20 are denied: 403 policy_denied');
  expect(stdout).toContain('1 of 1 ETH is spent');
  expect(stdout).toContain('reason key_revoked, and the destination holds 0 ETH');
  expect(stdout).toContain('The token pays 0.15 ETH, and 0.1 ETH more gets 403 policy_denied.');
  expect(stdout).toContain('She revokes the grant, and the token gets 401 unauthorized_credentials.');
});
