import type { Row } from '../row.ts';
import { measureShortPrompt } from './first-token.ts';
import type { StreamBench } from './measurement.ts';
import { measureThroughput, type SpeedTarget } from './throughput.ts';

/**
 * Measures the throughput of 1 and 16 streams and the time to the first token, with the same requests to both servers.
 *
 * @param title First part of each row's name.
 */
export async function measureStreamedAnswers(
  bench: StreamBench,
  title: string,
  targetOf?: SpeedTarget,
): Promise<readonly Row[]> {
  const options = { ...bench.options, streams: bench.options.isQuick ? [1] : [1, 16] };
  const own = { ...bench, options };
  const rows = [...(await measureThroughput(own, targetOf)), ...(await measureShortPrompt(own))];
  return rows.map((row) => ({ ...row, name: `${title}, ${row.name}` }));
}
