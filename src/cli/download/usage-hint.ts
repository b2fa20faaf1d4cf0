import type { DownloadStartRecord } from '../../contract/v1/download.ts';
import { getModel } from '../../contract/v1/model.ts';
import { ApiError } from '../client/client-error.ts';
import type { Client } from '../client/client.ts';
import { printable } from '../ui/printable.ts';

/** How to use a model that has just been downloaded. */
export async function usageHint(
  client: Client,
  { model: key, quantization }: DownloadStartRecord,
  signal: AbortSignal,
): Promise<string> {
  try {
    const model = await client.call(getModel, { params: { model: key } }, signal);
    if (model.type === 'embedding') return `Requests for embeddings name it ${printable(key)}.`;
    const isDefault = quantization === null || model.quantization?.name === quantization;
    const name = isDefault ? key : `${key}@${quantization.toLowerCase()}`;
    return `Talk to it with \`hearth chat ${printable(name)}\`.`;
  } catch (error) {
    // The model has a fault, or the token may not list models: the download itself went well.
    if (error instanceof ApiError) return '`hearth ls` shows it.';
    throw error;
  }
}
