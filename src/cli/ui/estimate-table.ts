import type { LoadEstimateResult } from '../../contract/v1/model.ts';
import { formatBytes, formatCount } from './format.ts';
import { writeFields } from './table.ts';
import type { TerminalStream } from './terminal.ts';

/** Writes what a load would need, part by part. */
export function writeEstimate(
  stream: TerminalStream,
  { estimate, load_config: config }: LoadEstimateResult,
): void {
  const { parallel = 1 } = config;
  const requests = parallel === 1 ? '' : ` × ${parallel} requests`;
  const bytesUnlessNone = (bytes: number): string | undefined =>
    bytes === 0 ? undefined : formatBytes(bytes);
  writeFields(stream, [
    ['Context', `${formatCount(config.context_length)} tokens${requests}`],
    ['Weights', formatBytes(estimate.weights_bytes)],
    ['KV cache', bytesUnlessNone(estimate.kv_cache_bytes)],
    ['Computing', bytesUnlessNone(estimate.compute_bytes)],
    ['Projector', bytesUnlessNone(estimate.projector_bytes)],
    ['Process', formatBytes(estimate.process_bytes)],
    ['Together', formatBytes(estimate.total_bytes)],
    ['Usable', `${formatBytes(estimate.usable_bytes)}${estimate.fits ? '' : ': it does not fit'}`],
  ]);
}
