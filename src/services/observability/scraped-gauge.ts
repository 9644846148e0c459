import { Gauge, type Registry } from 'prom-client';

interface GaugeText {
  readonly name: string;
  readonly help: string;
  readonly label?: string;
  /** The values of the label that have a sample from the start, so that an alert sees the first change. */
  readonly values?: readonly string[];
}

/**
 * Registers a gauge that is read when it is scraped: one number, or one for each value of its label. If it is unknown (null) or cannot
 * be read, the gauge has no sample, and the scrape still returns the other metrics.
 */
export function scrapedGauge(
  registry: Registry,
  { name, help, label, values = [] }: GaugeText,
  read: () => Promise<number | null | Readonly<Record<string, number>>>,
): void {
  const gauge = new Gauge({
    name,
    help,
    labelNames: label === undefined ? [] : [label],
    registers: [],
    async collect() {
      const numbers = await read().catch(() => null);
      this.reset();
      // A gauge without a label is zero after `reset`, which an alert would take for a value.
      if (numbers === null) {
        if (label === undefined) this.remove();
      } else if (typeof numbers === 'number') this.set(numbers);
      else {
        for (const value of values) this.set({ [label!]: value }, 0);
        for (const [value, number] of Object.entries(numbers)) this.set({ [label!]: value }, number);
      }
    },
  });
  registry.registerMetric(gauge);
}
