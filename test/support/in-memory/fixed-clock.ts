import { Clock } from '../../../src/kernel/clock.js';

/** A clock that the test moves. */
export class FixedClock extends Clock {
  constructor(public time = new Date('2026-01-01T12:00:00Z')) {
    super();
  }

  now(): Date {
    return this.time;
  }

  advanceMinutes(minutes: number): void {
    this.time = new Date(this.time.getTime() + minutes * 60_000);
  }
}
