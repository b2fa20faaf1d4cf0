import { serverStatusSchema } from '../../src/api/v1/server/status-schema.ts';
import { loadModel, v1ModelSchema } from '../../src/api/v1/models/model-schema.ts';
import type { EngineConnection } from '../../src/platform/net/engine-connection.ts';
import { post } from '../client/post.ts';
import { fillSlots } from './fill-slots.ts';
import type { LoadShape } from './load-shapes.ts';

/** Hearth's estimate for an engine, and the measured memory of the engine. */
export interface EstimateRow {
  readonly model: string;
  readonly contextLength: number;
  readonly parallel: number;
  readonly kvCacheType: string;
  readonly predictedBytes: number;
  /**
   * Resident memory of the process after the load; `filledBytes` is after all slots are filled. On Linux, neither
   * includes prompts that are kept outside of the slots: they are files in `/dev/shm`.
   */
  readonly loadedBytes: number;
  readonly filledBytes: number;
  /** The estimate divided by the memory of the filled engine. */
  readonly ratio: number;
}

/**
 * Estimates a load, then loads, fills and unloads the model.
 *
 * @throws Error if the server refuses a step or can't report resident memory.
 */
export async function measureEstimate(
  connection: EngineConnection,
  key: string,
  { contextLength, parallel }: LoadShape,
  kvCacheType: string,
  signal: AbortSignal,
): Promise<EstimateRow> {
  const load = async (more: object) =>
    loadModel.result.parse(
      await post(
        { connection, path: loadModel.path, model: key },
        { context_length: contextLength, parallel, ...more },
        signal,
      ),
    );
  const estimated = await load({ estimate_only: true });
  const loaded = await load({});
  if (estimated.status !== 'estimated' || loaded.status !== 'loaded') {
    throw new Error(`${key} was ${estimated.status} and ${loaded.status}`);
  }
  const resident = async (): Promise<number> => {
    const { body } = await connection.getJson('/api/v1/status', signal);
    const { instances } = serverStatusSchema.parse(body);
    const bytes = instances.find(({ id }) => id === loaded.instance_id)?.resident_bytes;
    if (bytes === undefined) throw new Error(`The server can't tell what ${key} takes`);
    return bytes;
  };
  const { body } = await connection.getJson(`/api/v1/models/${key}`, signal);
  const { type, capabilities } = v1ModelSchema.parse(body);
  const loadedBytes = await resident();
  const isEmbedding = type === 'embedding';
  const seesImages = capabilities?.vision === true;
  const model = { key, isEmbedding, seesImages, contextLength, parallel };
  await fillSlots(connection, model, signal);
  const filledBytes = await resident();
  await connection.postJson('/api/v1/models/unload', { instance_id: loaded.instance_id }, signal);
  const predictedBytes = estimated.estimate.total_bytes;
  return {
    model: key,
    contextLength,
    parallel,
    kvCacheType,
    predictedBytes,
    loadedBytes,
    filledBytes,
    ratio: predictedBytes / filledBytes,
  };
}
