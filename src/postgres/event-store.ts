import { Injectable } from '@nestjs/common';
import type { DomainEvent } from '../kernel/event-types.js';
import type { AppId } from '../kernel/ids.js';
import { currentTransaction, type OpenTransaction } from './current-transaction.js';
import { type InsertedEvents, renumberingOf } from './event-rows.js';

/** An event takes its number (`seq`) when all locks are held, so a transaction that waited for another one has the higher numbers. */
@Injectable()
export class EventStore {
  private readonly listeners: ((appId: AppId) => void)[] = [];

  add(event: DomainEvent): void {
    const transaction = currentTransaction();
    if (!transaction) throw new Error(`${event.type} was published outside a transaction.`);
    transaction.addEvent(event);
    this.announceWith(transaction, event.appId);
  }

  /** New numbers at COMMIT for events that an earlier statement of the transaction has inserted. */
  renumber(appId: AppId, inserted: InsertedEvents): void {
    const transaction = currentTransaction();
    if (!transaction) throw new Error('Only the transaction that inserted events may renumber them.');
    transaction.writeAtCommit(renumberingOf(appId, inserted));
    this.announceWith(transaction, appId);
  }

  onStored(listener: (appId: AppId) => void): void {
    this.listeners.push(listener);
  }

  private announceWith(transaction: OpenTransaction, appId: AppId): void {
    transaction.onCommit(() => this.announce(appId));
  }

  private announce(appId: AppId): void {
    for (const listener of this.listeners) listener(appId);
  }
}
