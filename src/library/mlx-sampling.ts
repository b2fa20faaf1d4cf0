import { join } from 'node:path';
import * as z from 'zod';
import { omitUndefined } from '../kernel/omit-undefined.ts';
import { readJsonFile } from './read-json-file.ts';

const maxJsonBytes = 1024 * 1024;

const number = (most: number) => z.number().min(0).max(most).optional().catch(undefined);

const schema = z.object({
  do_sample: z.boolean().optional().catch(undefined),
  temperature: number(10),
  top_p: number(1),
  top_k: z.int().min(0).max(1_000_000).optional().catch(undefined),
  min_p: number(1),
});

/** Defaults of sampling, by the names of mlx-lm's options. */
export interface MlxSampling {
  readonly temp?: number;
  readonly 'top-p'?: number;
  readonly 'top-k'?: number;
  readonly 'min-p'?: number;
}

/**
 * Reads the sampling defaults from the `generation_config.json` of a model's folder; empty if the file is missing or
 * damaged.
 */
export async function readMlxSampling(folder: string, signal: AbortSignal): Promise<MlxSampling> {
  const path = join(folder, 'generation_config.json');
  const found = await readJsonFile(path, schema, maxJsonBytes, signal).catch(() => {
    signal.throwIfAborted();
    return null;
  });
  if (found === null) return {};
  if (found.do_sample === false) return { temp: 0 };
  const { temperature, top_p: topP, top_k: topK, min_p: minP } = found;
  return omitUndefined({ temp: temperature, 'top-p': topP, 'top-k': topK, 'min-p': minP });
}
