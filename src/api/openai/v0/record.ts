import { omitUndefined } from '../../../kernel/omit-undefined.ts';
import type { V0Model } from './model-schema.ts';
import type { InstanceSummary } from '../../../engines/loads/instance-summary.ts';
import type { ModelEntry, ModelVariant } from '../../../library/model.ts';

/**
 * A model as v0 shows it.
 *
 * @param loaded its own instances
 * @param createdAt the start of the server
 */
export function toV0Model(
  model: ModelEntry,
  variant: ModelVariant,
  [loaded]: readonly InstanceSummary[],
  createdAt: Date,
): V0Model {
  return {
    id: model.key,
    object: 'model',
    created: Math.floor(createdAt.getTime() / 1000),
    owned_by: model.publisher,
    type: model.type,
    publisher: model.publisher,
    arch: model.architecture,
    compatibility_type: model.format,
    quantization:
      model.format === 'remote'
        ? ''
        : ((loaded?.selection.variant ?? variant).quantization?.name ?? 'unknown'),
    state: loaded === undefined ? 'not-loaded' : 'loaded',
    max_context_length: model.maxContextLength,
    ...omitUndefined({ loaded_context_length: loaded?.config.contextLength }),
    ...(model.isTrainedForToolUse ? { capabilities: ['tool_use'] } : {}),
  };
}
