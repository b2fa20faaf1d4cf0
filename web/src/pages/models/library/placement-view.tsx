import type { ModelMemoryEstimate } from '../../../../../src/api/v1/models/model-details-schema.ts';
import { modelsTexts } from '../../../texts/models.ts';
import { formatBytes } from '../../../ui/bytes.ts';
import { separated } from '../../../ui/separated.ts';

const labels = modelsTexts.placement;

/** Shows on which devices a load would place the layers of a model. */
export function PlacementView({
  estimate: { placement, load_config: config },
}: {
  readonly estimate: ModelMemoryEstimate;
}) {
  const keys = config.cache_type_k ?? config.kv_cache_type;
  const values = config.cache_type_v ?? config.kv_cache_type;
  const cache = new Set([keys, values].filter((type) => type !== undefined));
  return (
    <section aria-label={labels.title} aria-live="polite" className="flex flex-col gap-1 text-sm">
      <h3 className="font-medium">{labels.title}</h3>
      {placement === undefined ? (
        <p className="text-muted">{labels.noGpu}</p>
      ) : (
        <>
          <p className="text-muted">
            {separated([
              labels.layers({ onGpus: placement.gpu_layers, all: placement.layers }),
              placement.split_mode && labels.split({ mode: placement.split_mode }),
              placement.cpu_moe_layers === undefined
                ? undefined
                : labels.experts({ layers: placement.cpu_moe_layers }),
            ])}
          </p>
          <ul>
            {placement.gpus.map(({ id, name, layers, bytes }) => (
              <li key={id} className="flex flex-wrap gap-x-3">
                <span className="min-w-0 flex-1 truncate">{`${id}: ${name}`}</span>
                <span className="text-muted tabular-nums">
                  {separated([labels.gpuLayers({ layers }), formatBytes(bytes)])}
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
      {cache.size > 0 && (
        <p className="text-muted">{labels.cache({ type: [...cache].join(' / ') })}</p>
      )}
    </section>
  );
}
