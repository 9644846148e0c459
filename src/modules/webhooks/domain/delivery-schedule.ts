/** The pauses between attempts: 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h. */
const STEPS_SECONDS = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];

/** A part of each step that is chosen at random, so that deliveries that failed together are not repeated together. */
const SPREAD = 0.2;

/**
 * The pause after an attempt that failed, null after the last one. `tries` counts the attempts, that one included; `random` is between
 * 0 and 1. A receiver may ask for a longer pause, up to twice the step.
 */
export function pauseSeconds(tries: number, random: number, askedSeconds = 0): number | null {
  const step = STEPS_SECONDS[tries - 1];
  if (step === undefined) return null;
  return Math.max(step * (1 + SPREAD * (2 * random - 1)), Math.min(askedSeconds, 2 * step));
}

/** The seconds that a `Retry-After` header asks for: a number or a date. Undefined for any other text. */
export function retryAfterSeconds(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header);
  const until = Date.parse(header);
  return Number.isNaN(until) ? undefined : Math.max(0, (until - now.getTime()) / 1000);
}
