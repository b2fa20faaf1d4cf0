/** A span for people: `40 ms`, `1.8 s`, `3 min`, `2 h`. */
export function formatDuration(seconds: number): string {
  if (seconds < 0.9995) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
  if (seconds < 3570) return `${Math.round(seconds / 60)} min`;
  if (seconds < 47.5 * 3600) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86_400)} d`;
}
