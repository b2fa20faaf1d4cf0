import type { DownloadStartRecord } from '../../contract/v1/download.ts';
import { getModel } from '../../contract/v1/model.ts';
import { ApiError } from '../client/client-error.ts';
import type { Client } from '../client/client.ts';
import { printable } from '../ui/printable.ts';

/** Suggests how to use a model that is on disk. */
export async function usageHint(
  client: Client,
  { model: key, quantization }: DownloadStartRecord,
  signal: AbortSignal,
): Promise<string> {
  try {
    const model = await client.call(getModel, { params: { model: key } }, signal);
    if (model.type === 'embedding') return `Use ${printable(key)} in embedding requests.`;
    const isDefault = quantization === null || model.quantization?.name === quantization;
    const name = isDefault ? key : `${key}@${quantization.toLowerCase()}`;
    return `Run \`hearth chat ${printable(name)}\` to chat with it.`;
  } catch (error) {
    // The model is invalid, or the token may not list models; the download itself succeeded.
    if (error instanceof ApiError) return 'See `hearth ls`.';
    throw error;
  }
}
