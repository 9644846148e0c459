// Loaded into a process of the service before its own code. When the parent process arms a place, a confirmation ends this process there.
import { built, reached, wrap } from '../kill-point.mjs';

const transfer = (path) => built(`modules/transfer/${path}`);

const { Gate } = await built('modules/policy/gate/application/gate.js');
const { currentTransaction } = await built('postgres/current-transaction.js');
const { PostgresTransferStateRepository } = await transfer(
  'transfer/infrastructure/postgres-transfer-state.repository.js',
);
const { SignPayment } = await transfer('paying/application/sign-payment.js');
const { ConfirmTransfer } = await transfer('orders/application/confirm-transfer.js');
const { SettleTransfer } = await transfer('paying/application/settle-transfer.js');

// Before and after the statements that lock the transfer, the windows and the sender queue.
wrap(PostgresTransferStateRepository, 'lockForSigning', async (lock, ...args) => {
  reached('before-locks');
  const locked = await lock(...args);
  reached('after-locks');
  return locked;
});

// In the transaction: the decision and its spends are stored and not committed.
wrap(Gate, 'decide', async (decide, ...args) => {
  const decided = await decide(...args);
  await currentTransaction().flush();
  reached('after-decision');
  return decided;
});

// After COMMIT: nothing was sent yet.
wrap(SignPayment, 'execute', async (sign, ...args) => {
  const signed = await sign(...args);
  if (signed?.some(({ attempt }) => attempt)) reached('after-commit');
  return signed;
});

// The node has the payment, and its stage is not stored.
wrap(ConfirmTransfer, 'waitForEnd', (wait, ...args) => {
  reached('after-send');
  return wait(...args);
});

// While the proven end is stored with the end of the hold, in the transaction, and after its COMMIT.
wrap(Gate, 'settle', async (settle, ...args) => {
  await settle(...args);
  reached('settling');
});
wrap(SettleTransfer, 'execute', async (settle, ...args) => {
  const step = await settle(...args);
  reached('settled');
  return step;
});
