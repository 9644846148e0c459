import { isGreen, runEventChaos } from './events/events.js';
import { FAULTS } from './events/ledger.js';
import { PLACES, SHORT } from './events/settings.js';

describe('events, with processes killed at nine places and a receiver with faults', () => {
  it('are all delivered, with the bytes that were committed, in the order of each user', async () => {
    const report = await runEventChaos({ ...SHORT, seed: 7 });
    // First, because it shows everything known about the faults.
    expect(report.examples).toEqual([]);
    expect(report.faults).toEqual(Object.fromEntries(FAULTS.map((fault) => [fault, 0])));
    expect(report.hits).toEqual(Object.fromEntries(PLACES.map((place) => [place, 1])));
    expect(report.changes).toBeGreaterThanOrEqual(SHORT.events);
    expect(report.duplicates).toBeLessThanOrEqual(report.inFlight + report.unanswered);
    expect(isGreen(report)).toBe(true);
  }, 1_200_000);
});
