/**
 * Converts the text format of Prometheus to OpenMetrics 1.0, in which the name of a counter has no `_total`, though that of
 * its samples has. prom-client would rename its metrics for good.
 */
export function toOpenMetrics(text: string): string {
  const counters = new Set(
    [...text.matchAll(/^# TYPE (\S+)_total counter$/gm)].map(([, name]) => name),
  );
  const lines = text.split('\n').flatMap((line) => {
    if (line === '') return [];
    const [whole, start, name, rest] = /^(# (?:TYPE|HELP) )(\S+)_total (.*)$/.exec(line) ?? [];
    return whole !== undefined && counters.has(name) ? [`${start}${name} ${rest}`] : [line];
  });
  return `${lines.join('\n')}\n# EOF\n`;
}
