import { leastContext } from '../../../engines/loads/policy/choose-sizes.ts';
import type { TurnContent } from '../../../chat/turn-request.ts';
import type { StoredProject } from '../../../store/project.ts';
import type { StoredResponse } from '../../../store/store.ts';
import type { RequestContext } from '../../../telemetry/request-context.ts';
import type { ApiServices } from '../../services.ts';
import type { ChatRequest } from '../chat/chat-schema.ts';

type Services = Pick<ApiServices, 'store' | 'pool' | 'projectFiles'>;

/**
 * The parts that a message gets from the files of its project. The conversation decides the project if the message continues one.
 *
 * @param begun The project in which the message begins a conversation.
 * @throws the errors of `Engines.resolve`; the signal's reason when aborted.
 */
export async function projectContent(
  { store, pool, projectFiles }: Services,
  body: ChatRequest,
  begun: StoredProject | undefined,
  context: RequestContext,
): Promise<readonly TurnContent[]> {
  const { caller } = context;
  const project = begun ?? (await continuedProject(store, body, context));
  if (project === undefined || project.files.length === 0) return [];
  const previousId = body.previous_response_id;
  const previous =
    previousId == null ? undefined : await store.responses.find(previousId, caller.tokenId);
  const { selection } = await pool.resolve(body.model, 'generation', caller);
  const { key, maxContextLength } = selection.model;
  const loaded = pool.list().find((each) => each.selection.model.key === key);
  const contextLength =
    body.context_length ??
    loaded?.config.contextLength ??
    Math.min(maxContextLength || leastContext, leastContext);
  const parts = await projectFiles.partsFor(
    project,
    {
      text: textOf(body.input),
      contextLength,
      previous: previous && {
        createdAt: previous.createdAt,
        usedTokens: usedTokensOf(previous.turn),
      },
    },
    context,
  );
  return parts.map((text) => ({ type: 'text', text }));
}

/** Tokens at the end of a turn; a bound for turns with tools of older versions, which stored only the sum of all generations. */
function usedTokensOf({ contextTokens, usage }: StoredResponse['turn']): number {
  return contextTokens ?? usage.promptTokens + usage.completionTokens;
}

async function continuedProject(
  store: Services['store'],
  { previous_response_id: responseId, conversation_id: id }: ChatRequest,
  { caller }: RequestContext,
): Promise<StoredProject | undefined> {
  if (responseId != null) return store.projects.ofConversation({ responseId }, caller.tokenId);
  return id == null ? undefined : store.projects.ofConversation({ id }, caller.tokenId);
}

function textOf(input: ChatRequest['input']): string {
  if (typeof input === 'string') return input;
  return input.flatMap((item) => ('content' in item ? item.content : [])).join('\n\n');
}
