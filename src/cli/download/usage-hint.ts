import type { DownloadStartRecord } from '../../api/v1/downloads/download-schema.ts';
import { getModel, type ModelType } from '../../api/v1/models/model-schema.ts';
import type { ModelEntry } from '../../server/offline/models.ts';
import { ApiError } from '../client/client-error.ts';
import type { Client } from '../client/client.ts';
import { printable } from '../../kernel/printable.ts';

/** Suggests how to use a model. */
export function usageHint(name: string, type: ModelType | ModelEntry['type']): string {
  switch (type) {
    case 'embedding':
    case 'embeddings':
      return `Use ${printable(name)} in embedding requests.`;
    case 'reranker':
      return `Use ${printable(name)} in requests to /v1/rerank.`;
    case 'llm':
    case 'vlm':
      return `Run \`hearth chat ${printable(name)}\` to chat with it.`;
  }
}

/** Suggests how to use a downloaded model. */
export async function describeUsage(
  client: Client,
  { model: key, quantization }: DownloadStartRecord,
  signal: AbortSignal,
): Promise<string> {
  try {
    const model = await client.call(getModel, { params: { model: key } }, signal);
    const isDefault = quantization === null || model.quantization?.name === quantization;
    const name = isDefault ? key : `${key}@${quantization.toLowerCase()}`;
    return usageHint(name, model.type);
  } catch (error) {
    // The model is invalid, or the token may not list models; the download itself succeeded.
    if (error instanceof ApiError) return 'See `hearth ls`.';
    throw error;
  }
}
