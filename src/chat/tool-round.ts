import type { ToolContent } from '../conversation/content.ts';
import type {
  ClientToolCallItem,
  InvalidToolCallItem,
  ToolCallItem,
} from '../conversation/turn-item.ts';
import type { RequestContext } from '../request/request-context.ts';
import type { CheckedCall } from './tool-call.ts';

/** What came of a call: the item of the turn, and what the model is told. */
export interface CallOutcome {
  readonly item: ToolCallItem | InvalidToolCallItem | ClientToolCallItem;
  /** Undefined if the client has to tell. */
  readonly content: readonly ToolContent[] | undefined;
}

/**
 * Makes the calls of one round, all at once, and yields their outcomes in the order in which the model wrote them.
 * The model is told why a call can't be made, so that it can correct itself.
 *
 * @throws The signal's reason when aborted.
 */
export async function* runToolRound(
  calls: readonly CheckedCall[],
  round: number,
  context: RequestContext,
): AsyncGenerator<CallOutcome> {
  const outcomes = calls.map((call) => run(call, round, context));
  // The first failure is thrown where its turn comes; until then it must not count as unhandled.
  for (const outcome of outcomes) outcome.catch(() => {});
  for (const outcome of outcomes) yield await outcome;
}

async function run(
  call: CheckedCall,
  round: number,
  context: RequestContext,
): Promise<CallOutcome> {
  switch (call.type) {
    case 'client':
      return { item: call.item, content: undefined };
    case 'invalid':
      return { item: call.item, content: [{ type: 'text', text: call.item.reason }] };
    case 'valid': {
      const { tool, written } = call;
      const { content, isError } = await tool.call(call.arguments, context);
      const item = {
        type: 'toolCall',
        round,
        exposedName: written.name,
        tool: tool.name,
        provider: tool.provider,
        arguments: call.arguments,
        result: content,
        isError,
      } as const;
      return { item, content };
    }
  }
}
