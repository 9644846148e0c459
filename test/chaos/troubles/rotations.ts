import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { operate } from '../operator.js';
import type { Stage, TroubleKind } from './trouble.js';

/**
 * The master key is rotated as operators do it: the new key is put last and all replicas restart, then it is put first and they
 * restart again, then all values are sealed under it.
 */
export const rotations = (): TroubleKind<'rotations'> => {
  let count = 0;
  return {
    name: 'rotations',
    everyMs: 6_000,
    isHeavy: true,
    async make(stage) {
      const former = stage.envs[0]!['MASTER_KEYS']!;
      const added = `chaos${(count += 1)}:${randomBytes(32).toString('base64')}`;
      for (const keys of [`${former},${added}`, `${added},${former}`]) {
        for (const env of stage.envs) env['MASTER_KEYS'] = keys;
        await restartAll(stage);
      }
      const result = await operate(stage.envs[0]!, 'rewrap');
      if (!/broken\W+0\b/.test(result)) throw new Error(`Sealed values do not open: ${result}`);
    },
  };
};

async function restartAll({ replicas, restart }: Stage): Promise<void> {
  for (const replica of replicas) while (!(await restart(replica))) await sleep(100);
}
