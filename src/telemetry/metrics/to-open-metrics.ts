/**
 * Converts the text format of Prometheus to OpenMetrics 1.0, in which the name of a counter has no `_total`, though that of
 * its samples has. prom-client would rename its metrics for good.
 */
export function toOpenMetrics(text: string): string {
  const counters = new Set(
    [...text.matchAll(/^# TYPE (\S+)_total counter$/gm)].map(([, name]) => name),
  );
  const renamed = text.replace(
    /^(# (?:TYPE|HELP) )(\S+)_total /gm,
    (whole, start: string, name: string) => (counters.has(name) ? `${start}${name} ` : whole),
  );
  return `${renamed.replace(/\n{2,}/g, '\n').trim()}\n# EOF\n`;
}
