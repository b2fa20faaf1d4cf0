import type { ConversationToImport } from '../../../../chat/import-conversation.ts';
import { encodeTurn, titleOf } from '../../../../store/turns/conversation-turn.ts';
import type { TurnItem } from '../../../../store/turns/turn-item.ts';
import { ImportError, type ImportedChat, type ImportedMessage } from './imported-chat.ts';
import { nameOf } from './values.ts';

const maxMessages = 20_000;
/** Bounds the stored text: a question with many answers is stored with each of them. */
const maxTextLength = 64 * 1024 * 1024;
const maxMessageLength = 4 * 1024 * 1024;

type Response = ConversationToImport['responses'][number];

interface Node extends ImportedMessage {
  readonly children: Node[];
}

/** State of a branch before its next message. */
interface Place {
  /** Id of the last response. */
  readonly responseId: string | null;
  /** A question that has no answer yet. */
  readonly question?: Node;
  /** Messages of the answer so far, oldest first. */
  readonly answer: Node[];
}

/**
 * Converts all branches of a chat to responses, each with a question and its answer. Successive messages of the model,
 * such as reasoning, code and text, are one answer.
 *
 * @throws ImportError
 */
export function toConversation(chat: ImportedChat): ConversationToImport {
  const { roots, current } = toTree(chat);
  const responses: Response[] = [];
  let [length, lastOfBranch]: [number, string | undefined] = [0, undefined];
  const waiting = roots.toReversed().map((node) => {
    const place: Place = { responseId: null, answer: [] };
    return { node, place };
  });
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { node, place } = next;
    const { response, following } = step(chat, node, place);
    if (response !== undefined) {
      length += JSON.stringify(response.turn).length;
      if (length > maxTextLength) throw new ImportError('Its branches have too much text.');
      responses.push(response);
    }
    if (node === current) lastOfBranch = response?.id;
    for (const child of node.children.toReversed()) {
      waiting.push({ node: child, place: following(child) });
    }
  }
  if (responses.length === 0) throw new ImportError('It has no messages.');
  return {
    title: nameOf(chat.title) ?? titleOf({ messages: [], items: toItems(roots.slice(0, 1)) }),
    responses: withLast(responses, lastOfBranch),
    images: {},
  };
}

/** Handles a message: returns the response that ends with it, if any, and the state for its children. */
function step(chat: ImportedChat, node: Node, { responseId, question, answer }: Place) {
  const questions = node.children.filter(({ role }) => role === 'user');
  if (node.role === 'user') {
    const isUnanswered = node.children.length === 0 || questions.length > 0;
    const response = isUnanswered
      ? toResponse(chat, { responseId, question: node }, [])
      : undefined;
    return {
      response,
      following: (child: Node): Place =>
        child.role === 'user'
          ? { responseId: node.id, answer: [] }
          : { responseId, question: node, answer: [] },
    };
  }
  answer.push(node);
  const goesOn = node.children.length === 1 && questions.length === 0;
  const begun: Place = { responseId, ...(question && { question }), answer };
  return {
    response: goesOn ? undefined : toResponse(chat, begun, answer),
    following: (): Place => (goesOn ? begun : { responseId: node.id, answer: [] }),
  };
}

function toResponse(
  chat: ImportedChat,
  { responseId, question }: Pick<Place, 'responseId' | 'question'>,
  answer: readonly Node[],
): Response {
  const last = answer.at(-1) ?? question;
  const model = answer.findLast((each) => each.model !== undefined)?.model ?? chat.model;
  const turn = {
    systemPrompt: (responseId === null && chat.systemPrompt) || null,
    instructions: null,
    messages:
      question === undefined
        ? []
        : [
            {
              role: 'user' as const,
              content: question.parts.map(({ text }) => ({ type: 'text' as const, text })),
            },
          ],
    items: toItems(answer),
    stopReason: answer.length === 0 ? null : ('eosFound' as const),
    usage: { promptTokens: 0, cachedTokens: 0, completionTokens: 0, reasoningTokens: 0 },
    timings: { timeToFirstTokenSeconds: 0, generationSeconds: 0, tokensPerSecond: 0 },
    ...(answer.length === 0 ? { isInterrupted: true as const } : {}),
  };
  return {
    id: last?.id ?? '',
    parentId: responseId,
    createdAt: last?.createdAt ?? question?.createdAt ?? chat.createdAt ?? new Date(),
    modelKey: model,
    modelInstanceId: model,
    turn: JSON.parse(encodeTurn(turn)) as unknown,
  };
}

/** The parts of an answer; adjacent parts of the same kind are one item. */
function toItems(answer: readonly Node[]): readonly TurnItem[] {
  const items: { readonly type: 'message' | 'reasoning'; readonly texts: string[] }[] = [];
  for (const { type: kind, text } of answer.flatMap(({ parts }) => parts)) {
    const type = kind === 'text' ? 'message' : 'reasoning';
    const last = items.at(-1);
    if (last?.type === type) last.texts.push(text);
    else items.push({ type, texts: [text] });
  }
  return items.map(({ type, texts }) => ({ type, text: texts.join('\n\n') }));
}

/**
 * Moves the last response of the shown branch to the end, since the branch of the last stored response is shown. Does
 * nothing if other responses continue it.
 */
function withLast(responses: readonly Response[], id: string | undefined): readonly Response[] {
  const last = responses.find((each) => each.id === id);
  if (last === undefined || responses.some(({ parentId }) => parentId === id)) return responses;
  return [...responses.filter((each) => each !== last), last];
}

/**
 * Builds trees of the messages with content. The children of an empty message continue its parent.
 * @throws ImportError
 */
function toTree({ messages, currentId }: ImportedChat) {
  if (messages.length > maxMessages) {
    throw new ImportError(
      `It has ${messages.length} messages; at most ${maxMessages} are allowed.`,
    );
  }
  const nodes = new Map<string, Node>();
  for (const message of messages) {
    if (nodes.has(message.id)) throw new ImportError('Two of its messages have the same id.');
    const length = message.parts.reduce((sum, { text }) => sum + text.length, 0);
    if (length > maxMessageLength) {
      throw new ImportError(
        `One of its messages has ${length} characters; at most ${maxMessageLength} are allowed.`,
      );
    }
    nodes.set(message.id, { ...message, children: [] });
  }
  const all: Node[] = [];
  for (const node of nodes.values()) {
    const parent = node.parentId === null ? undefined : nodes.get(node.parentId);
    (parent?.children ?? all).push(node);
  }
  const roots: Node[] = [];
  let current: Node | undefined;
  const waiting = all.toReversed().map((node) => ({ node, parent: undefined as Node | undefined }));
  let seen = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { node, parent } = next;
    seen += 1;
    const own = node.children.splice(0);
    const isShown = node.parts.length > 0;
    if (isShown) (parent?.children ?? roots).push(node);
    const nearest = isShown ? node : parent;
    if (node.id === currentId) current = nearest;
    for (const child of own.toReversed()) waiting.push({ node: child, parent: nearest });
  }
  if (seen < nodes.size) throw new ImportError('Its messages form a circle.');
  return { roots, current };
}
