import { call } from '../../../api/client.ts';
import { queryClient } from '../../../api/query-client.ts';
import { modelsQuery } from '../../../api/queries.ts';
import { isStarter } from '../../../downloads/is-first-run.ts';
import { texts } from '../../../texts/texts.ts';
import { treeQuery } from '../conversations/conversation-queries.ts';
import { parseDocumentPart } from '../documents/document-part.ts';
import { answerText } from '../messages/turn.ts';
import type { Run } from '../runs/run.ts';
import { cleanTitle } from './clean-title.ts';
import { updateConversation } from './conversation-mutations.ts';

/** Characters of a message that a title is made of. */
const maxCharacters = 800;

type FirstTurn = readonly [question: string, answer: string];

/** Conversations that still need a title, by id. */
const untitled = new Map<string, FirstTurn>();

/**
 * Lets the model write the title of a conversation after its first answer, behind all other requests. The title is not
 * changed if the user has renamed the conversation. If the signal aborts, the next call tries again.
 *
 * @param isNew True if the answer began the conversation.
 */
export async function titleConversation(
  run: Pick<Run, 'model' | 'input' | 'items'>,
  { id, isNew, signal }: { id: string; isNew: boolean; signal: AbortSignal },
): Promise<void> {
  if (isNew && run.input.length > 0) untitled.set(id, firstTurnOf(run));
  const turn = untitled.get(id);
  if (turn === undefined) return;
  try {
    const before = await queryClient.fetchQuery(treeQuery(id));
    const title = await suggestTitle(run.model, turn, signal);
    const now = await queryClient.fetchQuery(treeQuery(id));
    if (title !== '' && now.title === before.title) await updateConversation(id, { title });
    untitled.delete(id);
  } catch {
    // The first words of the message stay the title.
    if (!signal.aborted) untitled.delete(id);
  }
}

function firstTurnOf({ input, items }: Pick<Run, 'input' | 'items'>): FirstTurn {
  const words = input.flatMap((part) =>
    'content' in part && parseDocumentPart(part.content) === undefined ? part.content : [],
  );
  const messages = items.flatMap((item) => (item.type === 'message' ? item : []));
  return [
    words.join('\n').slice(0, maxCharacters),
    answerText({ items: messages }).slice(0, maxCharacters),
  ];
}

/** Returns an empty title if the model can't write one: a starter model, or one that always reasons at length. */
async function suggestTitle(
  model: string,
  [question, answer]: FirstTurn,
  signal: AbortSignal,
): Promise<string> {
  const { models } = await queryClient.ensureQueryData(modelsQuery);
  const found = models.find(({ key }) => key === model);
  if (found === undefined || isStarter(found)) return '';
  const levels = found.capabilities?.reasoning?.allowed_options;
  const canAnswerAtOnce = levels === undefined || levels.includes('off');
  if (!canAnswerAtOnce && !levels.includes('low')) return '';
  const { choices } = await call(
    'post',
    '/v1/chat/completions',
    {
      body: {
        model,
        messages: [
          { role: 'user', content: question },
          { role: 'assistant', content: answer },
          { role: 'user', content: texts.titles.request },
        ],
        service_tier: 'flex',
        max_tokens: canAnswerAtOnce ? 32 : 256,
        ...(levels === undefined ? {} : { reasoning_effort: canAnswerAtOnce ? 'none' : 'low' }),
      },
    },
    { signal },
  );
  return cleanTitle(choices[0]?.message.content ?? '');
}
