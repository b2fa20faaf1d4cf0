/** A sample in Prometheus's text format. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const samplePattern = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const labelPattern = /([a-zA-Z_]\w*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/gy;

/**
 * Parses the text format as strictly as Prometheus.
 *
 * @throws Error for an invalid line, a repeated series, or a sample without a type.
 */
export function parseMetrics(text: string): readonly Sample[] {
  const types = new Map<string, string>();
  const seen = new Set<string>();
  const samples: Sample[] = [];
  for (const line of text.split('\n')) {
    if (line === '' || line === '# EOF' || line.startsWith('# HELP ')) continue;
    const [, typed, type] = /^# TYPE (\S+) (counter|gauge|histogram|summary)$/.exec(line) ?? [];
    if (typed !== undefined && type !== undefined) {
      if (types.has(typed)) throw new Error(`${typed} has two types`);
      types.set(typed, type);
      continue;
    }
    const sample = parseSample(line);
    const base = sample.name.replace(/_(?:bucket|sum|count|total)$/, '');
    if (!types.has(sample.name) && !types.has(base)) throw new Error(`No type of ${sample.name}`);
    const [series = ''] = line.split(/ \S+$/);
    if (seen.has(series)) throw new Error(`${series} comes twice`);
    seen.add(series);
    samples.push(sample);
  }
  return samples;
}

function parseSample(line: string): Sample {
  const [, name, inner = '', number = ''] = samplePattern.exec(line) ?? [];
  const value = Number(number.replace('Inf', 'Infinity'));
  const isNumber = !Number.isNaN(value) || number.toLowerCase() === 'nan';
  if (name === undefined || !isNumber) throw new Error(`Not a sample: ${line}`);
  const labels: Record<string, string> = {};
  let length = 0;
  for (const [whole, label = '', text = ''] of inner.matchAll(labelPattern)) {
    labels[label] = text;
    length += whole.length;
  }
  if (length !== inner.length) throw new Error(`Not labels: ${inner}`);
  return { name, labels, value };
}
