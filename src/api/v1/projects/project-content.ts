import { loadHistory } from '../../../chat/history.ts';
import { invalidValue } from '../../../kernel/errors/errors.ts';
import { placedInstances } from '../../../engines/loads/loaded-instances.ts';
import type { ModelTarget } from '../../../engines/loads/open-request.ts';
import { leastContext } from '../../../engines/loads/policy/choose-sizes.ts';
import type { TurnContent } from '../../../chat/turn-request.ts';
import type { StoredProject } from '../../../store/project.ts';
import type { RequestContext } from '../../../kernel/request/request-context.ts';
import type { ProjectMessage } from '../../../chat/documents/search/project-files.ts';
import type { ApiServices } from '../../services.ts';
import type { ChatRequest } from '../chat/chat-schema.ts';
import { findProject } from './projects.ts';

type Services = Pick<ApiServices, 'store' | 'pool' | 'projectFiles'>;

/**
 * The caller's project in which a message begins a conversation.
 *
 * @throws HearthError `project_not_found`; `invalid_value` for a message that continues a conversation.
 */
export async function projectOfChat(
  store: Services['store'],
  body: Pick<ChatRequest, 'previous_response_id' | 'conversation_id'>,
  id: string,
  context: RequestContext,
): Promise<StoredProject> {
  if (body.previous_response_id != null || body.conversation_id != null) {
    throw invalidValue(
      'project_id',
      '`project_id`: the message continues a conversation, which has its project already. Leave it out.',
    );
  }
  return findProject(store, id, context);
}

/**
 * The parts that the project's files add to a message. If the message continues a conversation, that conversation's
 * project applies.
 *
 * @param begun The project in which the message begins a conversation.
 * @throws the errors of `Engines.resolve` and `loadHistory`; the signal's reason when aborted.
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
  const target = await pool.resolve(body.model, 'generation', caller);
  const branch = await branchOf(store, body, target, context);
  const parts = await projectFiles.partsFor(
    project,
    { text: textOf(body.input), contextLength: contextLengthOf(pool, body, target), ...branch },
    context,
  );
  return parts.map((text) => ({ type: 'text', text }));
}

/** The turns that the message continues, without those that the model no longer saw. */
async function branchOf(
  store: Services['store'],
  { previous_response_id: id }: ChatRequest,
  { selection }: ModelTarget,
  { caller }: RequestContext,
): Promise<Pick<ProjectMessage, 'sentTexts' | 'usedTokens'>> {
  if (id == null) return { sentTexts: new Set(), usedTokens: 0 };
  const { responses, droppedTurns } = await loadHistory(
    store,
    { newestId: id, dropsOldTurns: true },
    caller.tokenId,
    selection.model,
  );
  const { contextTokens, usage, droppedTurns: unseen = 0 } = responses.at(-1)?.turn ?? {};
  const texts = responses
    .slice(Math.max(0, unseen - droppedTurns))
    .flatMap(({ turn }) => turn.messages.flatMap(({ content }) => content))
    .flatMap((part) => (part.type === 'text' ? part.text : []));
  // Turns with tools from older versions have only the sum over all generations, which is higher.
  const summed = (usage?.promptTokens ?? 0) + (usage?.completionTokens ?? 0);
  return { sentTexts: new Set(texts), usedTokens: contextTokens ?? summed };
}

/** Chooses like `Engines.open`: a loaded instance serves the request with the instance's context length. */
function contextLengthOf(
  pool: Services['pool'],
  { context_length: requested }: ChatRequest,
  { selection, instanceId, load }: ModelTarget,
): number {
  if (requested != null) return requested;
  const instances = pool.list();
  const named = instances.filter(({ id }) => id === instanceId);
  const serving = named.length > 0 ? named : placedInstances(instances, selection);
  if (serving.length > 0) return Math.min(...serving.map(({ config }) => config.contextLength));
  const { maxContextLength } = selection.model;
  return load?.contextLength ?? Math.min(maxContextLength || leastContext, leastContext);
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
