import { expect, it } from 'vitest';
import { parseMetrics, sumOf } from './parse-metrics.ts';

const text = `# HELP hearth_generation_tokens_total Tokens.
# TYPE hearth_generation_tokens_total counter
hearth_generation_tokens_total{model="a"} 12
hearth_generation_tokens_total{model="b \\"q\\" {x}"} 30.5
hearth_requests_running 0
nodejs_eventloop_lag_p50_seconds NaN
broken line here
`;

it('reads samples with their labels', () => {
  expect(parseMetrics(text)).toEqual([
    { name: 'hearth_generation_tokens_total', labels: { model: 'a' }, value: 12 },
    { name: 'hearth_generation_tokens_total', labels: { model: 'b "q" {x}' }, value: 30.5 },
    { name: 'hearth_requests_running', labels: {}, value: 0 },
  ]);
});

it('sums over labels, and tells no value from zero', () => {
  const samples = parseMetrics(text);
  expect(sumOf(samples, 'hearth_generation_tokens_total')).toBe(42.5);
  expect(sumOf(samples, 'hearth_requests_running')).toBe(0);
  expect(sumOf(samples, 'missing')).toBeUndefined();
});
