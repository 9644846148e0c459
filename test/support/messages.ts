import type { INestApplicationContext } from '@nestjs/common';
import type { AppId } from '../../src/kernel/ids.js';
import type { CountedSend } from '../../src/kernel/limits.js';
import { type Mail, Mailer, type TextMessage, Texts } from '../../src/kernel/messages.js';
import { Transactions } from '../../src/kernel/transactions.js';

/** Sends a mail in a transaction of its own, or in the current one. */
export function sendMail(nest: INestApplicationContext, appId: AppId, mail: Mail): Promise<void> {
  return nest.get(Transactions).run(async () => nest.get(Mailer).send(uncounted(appId), mail));
}

/** Sends an SMS in a transaction of its own, or in the current one. */
export function sendText(nest: INestApplicationContext, appId: AppId, message: TextMessage): Promise<void> {
  return nest.get(Transactions).run(async () => nest.get(Texts).send(uncounted(appId), message));
}

/** In production only `SendLimits.take` makes one. */
const uncounted = (appId: AppId) => ({ appId }) as CountedSend;
