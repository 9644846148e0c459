import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { type Arrival, type KnownEndpoint, Ledger, type Stored } from './ledger.js';

const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const TIMESTAMP = 1_763_600_000;
const endpoint: KnownEndpoint = {
  id: 'whk_1',
  path: '/ordered',
  secrets: [SECRET],
  isOrdered: true,
  wants: (type) => type !== 'app.updated',
};
const event = (position: number, type: string) => ({
  id: `evt_${position}`,
  position: String(position),
  type,
  user_id: 'user_1',
  body: `{"position":${position}}`,
});
const events = [event(1, 'user.created'), event(2, 'user.updated'), event(3, 'user.updated')];
const arrivalOf = ({ id, body }: { id: string; body: string }): Arrival => ({
  endpoint: '/ordered',
  id,
  body,
  timestamp: TIMESTAMP,
  signature: new Webhook(SECRET).sign(id, new Date(TIMESTAMP * 1_000), body),
  answer: 'accepted',
});
const arrivals = events.map(arrivalOf);
const ended = events.map(({ id }) => ({ endpoint_id: 'whk_1', event_id: id, status: 'delivered', timeouts: 0 }));
const stored: Stored = { events, ended, lastPosition: 3, unsequenced: 0, pending: 0, leased: 0 };
const users = [{ id: 'user_1', sent: 2, confirmed: 2 }];

describe('the comparison of the log of events with the journal of a receiver', () => {
  let directory: string;
  beforeAll(() => (directory = mkdtempSync(join(tmpdir(), 'ledger-'))));
  afterAll(() => rmSync(directory, { recursive: true }));

  const compare = (given: { arrivals?: readonly Arrival[]; stored?: Partial<Stored>; users?: typeof users }) => {
    const journal = join(directory, 'journal');
    writeFileSync(journal, (given.arrivals ?? arrivals).map((line) => `${JSON.stringify(line)}\n`).join(''));
    const ledger = new Ledger(journal, { ...stored, ...given.stored }, [endpoint]);
    return ledger.compare(1, { users: given.users ?? users });
  };
  const faultsOf = (given: Parameters<typeof compare>[0]): string[] =>
    Object.entries(compare(given).faults)
      .filter(([, count]) => count > 0)
      .map(([fault]) => fault);
  const [first, second, third] = arrivals as [Arrival, Arrival, Arrival];

  it('finds nothing where every event arrived once, and counts what arrived again', () => {
    expect(faultsOf({})).toEqual([]);
    expect(compare({ arrivals: [first, first, second, third] })).toMatchObject({ deliveries: 3, duplicates: 1 });
  });

  it.each<[string, string[], Parameters<typeof compare>[0]]>([
    ['an event that never arrived', ['missing', 'notRecorded'], { arrivals: [first, second] }],
    [
      'an event that was only refused',
      ['missing', 'notRecorded'],
      { arrivals: [first, second, { ...third, answer: 'failed' }] },
    ],
    [
      'an event that is not in the log',
      ['neverCommitted', 'notRecorded'],
      { arrivals: [...arrivals, arrivalOf(event(4, 'user.updated'))] },
    ],
    ['another body', ['otherBytes'], { arrivals: [...arrivals, arrivalOf({ ...third, body: '{}' })] }],
    [
      'a signature of another secret',
      ['wrongSignature'],
      { arrivals: [first, second, { ...third, signature: 'v1,AAAA' }] },
    ],
    ['a lower position after a higher one', ['outOfOrder'], { arrivals: [first, third, second] }],
    ['a gap in the positions', ['gapsInPositions'], { stored: { lastPosition: 4 } }],
    ['an event without a position', ['unsequenced'], { stored: { unsequenced: 1 } }],
    ['a pending delivery', ['pending'], { stored: { pending: 1 } }],
    ['a lease', ['leased'], { stored: { leased: 1 } }],
    [
      'a delivery that was given up',
      ['notRecorded'],
      { stored: { ended: ended.map((each) => ({ ...each, status: 'failed' })) } },
    ],
    ['a change without an event', ['lostChanges'], { users: [{ id: 'user_1', sent: 3, confirmed: 3 }] }],
    ['an event without a change', ['lostChanges'], { users: [{ id: 'user_1', sent: 1, confirmed: 1 }] }],
    [
      'an event of a type that was not asked for',
      ['notSubscribed'],
      {
        stored: { events: [events[0]!, { ...events[1]!, type: 'app.updated' }, events[2]!] },
        users: [{ id: 'user_1', sent: 1, confirmed: 1 }],
      },
    ],
  ])('finds %s', (_what, faults, given) => {
    expect(faultsOf(given)).toEqual(faults);
  });
});
