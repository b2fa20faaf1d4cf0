import * as z from 'zod';
import { HearthError } from '../../../contract/errors.ts';
import type { EngineConnection } from '../../../net/engine-connection.ts';
import type { Engine } from '../../engine.ts';
import { connectionFailure } from '../llama-server/engine-failure.ts';
import { createGenerate } from '../llama-server/generate.ts';
import { mlxCall, type MlxModel } from './mlx-call.ts';
import { mlxFailure } from './mlx-failure.ts';

/** An engine with the HTTP API of mlx-lm's server, which is like that of OpenAI, started by `mlx-launcher.py`. */
export function createMlxEngine(connection: EngineConnection, model: MlxModel): Engine {
  const generate = createGenerate(connection);
  return {
    generate: (request, { signal }) => generate(mlxCall(request, model), signal),
    embed: async () => {
      throw textOnly();
    },
    rank: async () => {
      throw textOnly();
    },
    renderPrompt: async () => undefined,
    countTokens: (text, { signal }) => requestCount(connection, { text }, signal),
    countPromptTokens: async (request, { signal }) =>
      requestCount(connection, mlxCall(request, model).body, signal),
  };
}

const countBody = z.object({ tokens: z.int().nonnegative() });

async function requestCount(
  connection: EngineConnection,
  body: object,
  signal: AbortSignal,
): Promise<number> {
  const reply = await connection.postJson('/count', body, signal).catch((error: unknown) => {
    throw connectionFailure(error);
  });
  if (reply.status !== 200) throw mlxFailure(reply);
  return countBody.parse(reply.body).tokens;
}

function textOnly(): HearthError {
  return new HearthError('wrong_model_type', 'The engine of MLX models generates text only.', {
    field: 'model',
  });
}
