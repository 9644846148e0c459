const CHECKED_MS = 60_000;

/** A success counts for a minute. Callers that come during a check share it. */
export class MinuteCheck<T> {
  private passed: Promise<T> | null = null;
  private begunAt = 0;

  constructor(private readonly check: () => Promise<T>) {}

  run(): Promise<T> {
    if (performance.now() - this.begunAt > CHECKED_MS) this.passed = null;
    if (this.passed) return this.passed;
    this.begunAt = performance.now();
    const passed = this.check().catch((error: unknown) => {
      if (this.passed === passed) this.passed = null;
      throw error;
    });
    return (this.passed = passed);
  }

  forget(): void {
    this.passed = null;
  }
}
