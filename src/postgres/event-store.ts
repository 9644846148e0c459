import { Injectable } from '@nestjs/common';
import type { DomainEvent } from '../kernel/event-types.js';
import type { AppId } from '../kernel/ids.js';
import { currentTransaction, type OpenTransaction } from './current-transaction.js';
import { type InsertedEvents, renumberingOf } from './event-rows.js';

/**
 * Stores events where the sequencer finds them. Each takes its number (`seq`) from a sequence when its transaction holds all its
 * locks, so of two transactions of which one waited for the other, the one that waited has the higher numbers.
 */
@Injectable()
export class EventStore {
  private readonly listeners: (() => void)[] = [];

  /** Stores the event by the last statement of the current transaction. */
  add(event: DomainEvent): void {
    const transaction = currentTransaction();
    if (!transaction) throw new Error(`${event.type} was published outside a transaction.`);
    transaction.addEvent(event);
    this.announceWith(transaction);
  }

  /** Gives new numbers at COMMIT to events that an earlier statement of the current transaction has inserted. */
  renumber(appId: AppId, inserted: InsertedEvents): void {
    const transaction = currentTransaction();
    if (!transaction) throw new Error('Only the transaction that inserted events may renumber them.');
    transaction.writeAtCommit(renumberingOf(appId, inserted));
    this.announceWith(transaction);
  }

  /** Calls the listener after each commit of this process that stored events. */
  onStored(listener: () => void): void {
    this.listeners.push(listener);
  }

  private announceWith(transaction: OpenTransaction): void {
    transaction.onCommit(() => this.announce());
  }

  private announce(): void {
    for (const listener of this.listeners) listener();
  }
}
