import type { LoadEstimateResult } from '../../api/v1/models/model-schema.ts';
import { formatBytes } from '../../kernel/format.ts';
import { describeContext } from './context-text.ts';
import { writeFields } from './table.ts';
import type { TerminalStream } from './terminal.ts';

/** Writes the memory estimate of a load, one line per part. */
export function writeEstimate(
  stream: TerminalStream,
  { estimate, load_config: config }: LoadEstimateResult,
): void {
  const formatNonzeroBytes = (bytes: number): string | undefined =>
    bytes === 0 ? undefined : formatBytes(bytes);
  writeFields(stream, [
    ['Context', describeContext(config, estimate.kv_cache_bytes)],
    ['Weights', formatBytes(estimate.weights_bytes)],
    ['KV cache', formatNonzeroBytes(estimate.kv_cache_bytes)],
    ['Compute buffers', formatNonzeroBytes(estimate.compute_bytes)],
    ['Projector', formatNonzeroBytes(estimate.projector_bytes)],
    ['Process', formatBytes(estimate.process_bytes)],
    ['Total', formatBytes(estimate.total_bytes)],
    ['On GPUs', formatNonzeroBytes(estimate.gpu_bytes ?? 0)],
    ['Available', `${formatBytes(estimate.usable_bytes)}${estimate.fits ? '' : ' (does not fit)'}`],
  ]);
}
