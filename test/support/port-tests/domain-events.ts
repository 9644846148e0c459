import { text } from '../../../src/kernel/event-data.js';
import { eventOf } from '../../../src/kernel/event-types.js';
import { type AppId, newId } from '../../../src/kernel/ids.js';
import type { DomainEvents } from '../../../src/kernel/domain-events.js';
import { LockedRowsChanged, type Transactions } from '../../../src/kernel/transactions.js';

export interface DomainEventsSubject {
  readonly events: DomainEvents;
  readonly transactions: Transactions;
  /** The types of the stored events of the app, first one first. */
  storedTypes(appId: AppId): Promise<string[]>;
}

const testEvent = (name: string) => eventOf({ name, description: 'Of a test.', data: { note: text('A note.') } });

class Noted extends testEvent('port_test.noted') {}
class Followed extends testEvent('port_test.followed') {}
class Refused extends testEvent('port_test.refused') {}
class NotedTwice extends Noted {}

const NOTE = { note: 'a note' };

/** What every `DomainEvents` promises. The subject is made once, because a subscriber stays; each test uses an app of its own. */
export function domainEventsTests(subject: () => DomainEventsSubject): void {
  let appId: AppId;
  let handled: string[];
  beforeAll(() => {
    const { events } = subject();
    events.subscribe(Noted, async (event) => {
      handled.push(event.appId);
      await events.publish(new Followed(event.appId, NOTE));
    });
    events.subscribe(Refused, () => {
      throw new Error('A subscriber refuses.');
    });
  });
  beforeEach(() => {
    appId = newId('app');
    handled = [];
  });
  const run = <T>(work: () => Promise<T>): Promise<T> => subject().transactions.run(work);
  const stored = () => subject().storedTypes(appId);

  it('stores the events of a transaction in the order in which they were published', async () => {
    const { events } = subject();
    await run(async () => {
      await events.publish(new Followed(appId, NOTE));
      await run(() => events.publish(new NotedTwice(appId, NOTE)));
    });
    expect(await stored()).toEqual(['port_test.followed', 'port_test.noted']);
  });

  it('stores no event of a transaction that rolls back', async () => {
    const { events } = subject();
    const failure = new Error('The change failed.');
    const work = run(async () => {
      await events.publish(new Followed(appId, NOTE));
      throw failure;
    });
    await expect(work).rejects.toBe(failure);
    expect(await stored()).toEqual([]);
  });

  it('stores the events of the last run of a transaction that runs again', async () => {
    let runs = 0;
    await run(async () => {
      await subject().events.publish(new Followed(appId, NOTE));
      if (++runs < 4) throw new LockedRowsChanged();
    });
    expect(runs).toBe(4);
    expect(await stored()).toEqual(['port_test.followed']);
  });

  it('gives up a transaction after its fourth run and stores no event', async () => {
    let runs = 0;
    const work = run(async () => {
      runs++;
      await subject().events.publish(new Followed(appId, NOTE));
      throw new LockedRowsChanged();
    });
    await expect(work).rejects.toThrow(LockedRowsChanged);
    expect(runs).toBe(4);
    expect(await stored()).toEqual([]);
  });

  it('runs the subscribers of the class before publish resolves, and stores what they publish after the event', async () => {
    await run(async () => {
      await subject().events.publish(new Noted(appId, NOTE));
      expect(handled).toEqual([appId]);
    });
    expect(await stored()).toEqual(['port_test.noted', 'port_test.followed']);
  });

  it('runs no subscriber for an event of a subclass', async () => {
    await run(() => subject().events.publish(new NotedTwice(appId, NOTE)));
    expect(handled).toEqual([]);
    expect(await stored()).toEqual(['port_test.noted']);
  });

  it('rolls back the transaction when a subscriber throws', async () => {
    const { events } = subject();
    const work = run(async () => {
      await events.publish(new Followed(appId, NOTE));
      await events.publish(new Refused(appId, NOTE));
    });
    await expect(work).rejects.toThrow('A subscriber refuses.');
    expect(await stored()).toEqual([]);
  });

  it('refuses an event that is published outside a transaction, and stores nothing', async () => {
    await expect(subject().events.publish(new Noted(appId, NOTE))).rejects.toThrow('outside a transaction');
    expect(handled).toEqual([]);
    expect(await stored()).toEqual([]);
  });

  it('refuses an event whose type is not declared', async () => {
    const undeclared = { type: 'port_test.undeclared', appId, data: {} };
    await expect(run(() => subject().events.publish(undeclared))).rejects.toThrow('is not declared');
    expect(await stored()).toEqual([]);
  });
}
