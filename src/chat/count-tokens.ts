import type { RequestContext } from '../request/request-context.ts';
import { omitUndefined } from '../omit-undefined.ts';
import { prepareTurn, type TurnServices } from './prepare-turn.ts';
import { promptPrefix } from './prompt-prefix.ts';
import { toChatGeneration } from './run-rounds.ts';
import type { TurnRequest } from './turn-request.ts';
import { TurnTools } from './turn-tools.ts';

/**
 * Counts the tokens of the prompt that a turn begins with, as the model would read it: history, chat template, tools
 * and images included. Nothing is generated or stored; the model is loaded if need be. The count may exceed the
 * context.
 *
 * @throws The errors of `prepareTurn`, `InstancePool.acquire`, `ToolServers.open` and `InstanceLease.countPrompt`; the
 *   signal's reason when aborted.
 */
export async function countTurnTokens(
  services: TurnServices,
  request: TurnRequest,
  context: RequestContext,
): Promise<number> {
  const { pool, tools } = services;
  const { contextLength, ttlSeconds } = request;
  const { target, outline, build, release } = await prepareTurn(services, request, context);
  try {
    const lease = await pool.acquire(
      {
        target,
        promptPrefix: promptPrefix({ kind: 'chat', messages: outline }),
        ...omitUndefined({ contextLength, ttlSeconds }),
      },
      context,
    );
    try {
      const toolbox = await tools.open(request.integrations, lease.context);
      try {
        const turnTools = new TurnTools(toolbox, request.clientTools);
        const { prompt } = await build(lease.context.signal);
        const generation = toChatGeneration(
          request,
          prompt,
          turnTools.definitions(),
          turnTools.nameChoice(request.toolChoice),
        );
        return await lease.countPrompt(generation);
      } finally {
        await toolbox.close();
      }
    } finally {
      lease.release();
    }
  } finally {
    release();
  }
}
