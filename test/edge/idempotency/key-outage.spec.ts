import { Idempotency } from '../../../src/edge/idempotency/idempotency.js';
import { KeysUnavailable } from '../../../src/kernel/errors.js';
import type { AppId } from '../../../src/kernel/ids.js';
import { SealAltered, SealKeyGone, type Vault } from '../../../src/kernel/vault.js';
import type { AuthenticatedRequest } from '../../../src/edge/http/authenticated-request.js';

const CONFIRMATION = { commitsItself: true, isSafe: true, takesReserve: true };
const APP = { id: 'app_00000000000000000000000001' as AppId };

describe('a confirmation with an Idempotency-Key', () => {
  it.each([
    ['the provider failed', new KeysUnavailable()],
    ['the key was altered', new SealAltered('altered')],
    ['the key is gone', new SealKeyGone('gone')],
  ])('returns its response although its key ended and %s while the payment was sent', async (_, fault) => {
    let isAvailable = true;
    const written: unknown[] = [];
    const vault = {
      ready: async () => {
        if (!isAvailable) throw fault;
      },
      seal: (bytes: Uint8Array) => bytes,
    } as unknown as Vault;
    const database = { read: async () => [], write: async (...statement: unknown[]) => [written.push(statement)] };
    const idempotency = new Idempotency(undefined!, database as never, vault, {
      exceededLimit: async () => null,
      add: () => undefined,
    } as never);
    const request = {
      headers: { 'idempotency-key': 'a' },
      path: '/v1/transfers/t/confirm',
      params: {},
      body: {},
      app_: APP,
      res: { setHeader: () => undefined },
    } as unknown as AuthenticatedRequest;
    const confirm = async () => {
      isAvailable = false;
      return { status: 'pending' };
    };
    expect(await idempotency.answer(request, confirm, CONFIRMATION)).toEqual({ status: 'pending' });
    expect(written).toEqual([]);
    isAvailable = true;
    await idempotency.answer(request, async () => ({ status: 'completed' }), CONFIRMATION);
    expect(written).toHaveLength(1);
    isAvailable = false;
    // Before the handler nothing was sent, so the call is refused.
    await expect(idempotency.answer(request, confirm, CONFIRMATION)).rejects.toBe(fault);
  });
});
