import * as z from 'zod';
import { HearthError } from '../../../kernel/errors/errors.ts';
import type { EngineConnection } from '../../../platform/net/engine-connection.ts';
import type { Engine } from '../../engine.ts';
import { createEngineClient } from '../wire/engine-client.ts';
import { wireCall } from '../wire/request-body.ts';
import {
  mlxDialect,
  mlxFailure,
  mlxModelName,
  toMlxRequest,
  type MlxModel,
} from './mlx-dialect.ts';

const countBody = z.object({ tokens: z.int().nonnegative() });

/** An engine with the HTTP API of mlx-lm's server, which resembles OpenAI's, started by `mlx-launcher.py`. */
export function createMlxEngine(connection: EngineConnection, model: MlxModel): Engine {
  const client = createEngineClient(connection, {
    dialect: mlxDialect,
    model: mlxModelName,
    toFailure: mlxFailure,
  });

  async function count(body: object, signal: AbortSignal): Promise<number> {
    const reply = await client.post('/count', body, signal);
    return client.read(reply, countBody, 'count of tokens').tokens;
  }

  return {
    generate: (request, { signal }) => client.generate(toMlxRequest(request, model), signal),
    embed: async () => {
      throw textOnly();
    },
    rank: async () => {
      throw textOnly();
    },
    renderPrompt: async () => undefined,
    countTokens: (text, { signal }) => count({ text }, signal),
    countPromptTokens: async (request, { signal }) =>
      count(wireCall(toMlxRequest(request, model), mlxDialect, mlxModelName).body, signal),
  };
}

function textOnly(): HearthError {
  return new HearthError('wrong_model_type', 'The engine of MLX models generates text only.', {
    field: 'model',
  });
}
