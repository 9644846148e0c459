import { HttpMetrics } from '../../../src/services/observability/metrics.js';

it('scrapes beyond five in a second get the previous text, and a later one gets a new text', async () => {
  const metrics = new HttpMetrics();
  const now = jest.spyOn(performance, 'now').mockReturnValue(10_000);
  const made = jest.spyOn(metrics.registry, 'metrics');
  try {
    const texts = await Promise.all(Array.from({ length: 100 }, () => metrics.text()));
    expect(texts.at(-1)).toContain('http_request_duration_seconds');
    expect(made).toHaveBeenCalledTimes(5);
    metrics.observe('GET', '/later', 200, 0.1);
    now.mockReturnValue(11_001);
    expect(await metrics.text()).toContain('route="/later"');
  } finally {
    now.mockRestore();
  }
});
