import type { RequestContext } from '../kernel/request/request-context.ts';
import { omitUndefined } from '../kernel/omit-undefined.ts';
import { prepareTurn, type TurnServices } from './prepare-turn.ts';
import { promptPrefix } from './prompt-messages.ts';
import { toChatGeneration } from './run-rounds.ts';
import type { TurnRequest } from './turn-request.ts';
import { TurnTools } from './turn-tools.ts';
import { targetOf, toTargeted } from './request-target.ts';

/**
 * Counts the tokens of a turn's first prompt as the model would read it, including history, chat template, tools and
 * images. Loads the model if needed; generates and stores nothing. The count may exceed the context.
 *
 * @throws The errors of `prepareTurn`, `Engines.open`, `ToolServers.open` and `Session.countPrompt`; the signal's
 *   reason when aborted.
 */
export async function countTurnTokens(
  services: TurnServices,
  turn: TurnRequest,
  context: RequestContext,
): Promise<number> {
  const { pool, tools } = services;
  const request = toTargeted(turn, await targetOf(pool, turn, context.caller));
  const { contextLength, ttlSeconds } = request;
  const { target, outline, build, release } = await prepareTurn(services, request, context);
  try {
    const session = pool.open(
      {
        target,
        promptPrefix: promptPrefix({ kind: 'chat', messages: outline }),
        ...omitUndefined({ contextLength, ttlSeconds }),
      },
      context,
    );
    try {
      for await (const _ of session.ready());
      const toolbox = await tools.open(request.integrations, session.lease.context);
      try {
        const turnTools = new TurnTools(toolbox, request.clientTools);
        const { prompt } = await build(session.lease.context.signal);
        const generation = toChatGeneration(
          request,
          prompt,
          turnTools.definitions(),
          turnTools.nameChoice(request.toolChoice),
        );
        return await session.countPrompt(generation);
      } finally {
        await toolbox.close();
      }
    } finally {
      session.close();
    }
  } finally {
    release();
  }
}
