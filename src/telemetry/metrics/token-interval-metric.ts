import { intervalBounds, TokenIntervals } from '../token-intervals.ts';

/** The histogram of the time between tokens, in the form in which a registry of prom-client reads its metrics. */
export class TokenIntervalMetric {
  readonly name: string;
  readonly help: string;
  readonly type = 'histogram';
  readonly #byModel = new Map<string, TokenIntervals>();

  constructor(name: string, help: string) {
    this.name = name;
    this.help = help;
  }

  merge(model: string, intervals: TokenIntervals): void {
    let sum = this.#byModel.get(model);
    if (sum === undefined) this.#byModel.set(model, (sum = new TokenIntervals()));
    sum.merge(intervals);
  }

  async get() {
    const { name, help, type } = this;
    const values = [...this.#byModel].flatMap(([model, intervals]) =>
      toValues(name, model, intervals),
    );
    return { name, help, type, values, aggregator: 'sum' };
  }
}

function toValues(name: string, model: string, { counts, sumSeconds }: TokenIntervals) {
  let count = 0;
  const buckets = [...intervalBounds, '+Inf' as const].map((bound, index) => {
    count += counts[index] ?? 0;
    return { metricName: `${name}_bucket`, labels: { le: bound, model }, value: count };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels: { model }, value: sumSeconds },
    { metricName: `${name}_count`, labels: { model }, value: count },
  ];
}
