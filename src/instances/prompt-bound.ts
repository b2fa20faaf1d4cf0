import { HearthError } from '../contract/errors.ts';
import type {
  ContentPart,
  Engine,
  EngineMessage,
  GenerationRequest,
  Prompt,
} from '../engine/engine.ts';
import type { TokenizerFacts } from '../models/tokenizer-facts.ts';

/** The engine counts shorter texts, in a moment and exactly. */
const minCharacters = 64 * 1024;
/** Chat templates trim white space around messages. More than this around a text counts as part of it. */
const maxMargin = 1024 * 1024;

/** Clients count prompts that do not fit in order to shorten them; a text of more contexts than these is not counted. */
const maxCountedContexts = 16;

/**
 * Rejects prompts that cannot fit into the context before the engine reads them. The engine needs time and memory in
 * proportion to their length, and all other requests wait meanwhile.
 */
export function boundPrompts(
  engine: Engine,
  tokenizer: TokenizerFacts | null,
  contextLength: number,
): Engine {
  if (tokenizer === null) return engine;
  const assertFits = (prompts: readonly Prompt[], subject: string, contexts = 1): void => {
    let tokens = 0;
    for (const prompt of prompts) tokens += minTokens(prompt, tokenizer, contexts * contextLength);
    if (tokens <= contexts * contextLength) return;
    throw new HearthError(
      'context_length_exceeded',
      `${subject} has at least ${Math.ceil(tokens)} tokens; the context of the model holds ${contextLength}.`,
      { promptSize: { tokens: Math.ceil(tokens), isLowerBound: true, maxTokens: contextLength } },
    );
  };
  return {
    ...engine,
    generate: (request, context) => {
      assertFits(promptTexts(request), 'The prompt');
      return engine.generate(request, context);
    },
    countPromptTokens: async (request, context) => {
      assertFits(promptTexts(request), 'The prompt', maxCountedContexts);
      return engine.countPromptTokens(request, context);
    },
    embed: async (inputs, context) => {
      for (const input of inputs) assertFits([input], 'An input');
      return engine.embed(inputs, context);
    },
  };
}

/** A lower bound of the tokens of a prompt; 0 for a short text. */
export function minTokens(text: Prompt, tokenizer: TokenizerFacts, contextLength: number): number {
  if (typeof text !== 'string') return text.length;
  if (text.length < minCharacters) return 0;
  if (tokenizer.keeps === 'words') return countWords(text, contextLength + 1);
  const trimmed = text.trim();
  const counted = text.length - trimmed.length > maxMargin ? text : trimmed;
  return Buffer.byteLength(counted) / tokenizer.longestTokenBytes;
}

/** Words with a letter or a digit: tokenizers drop characters of other kinds. */
function countWords(text: string, most: number): number {
  let words = 0;
  const word = /[\p{L}\p{N}]\S*/gu;
  while (words < most && word.test(text)) words += 1;
  return words;
}

function promptTexts(request: GenerationRequest): readonly Prompt[] {
  if (request.kind === 'completion') return [request.prompt, request.suffix ?? ''];
  return request.messages.flatMap(messageTexts);
}

function messageTexts(message: EngineMessage): readonly string[] {
  const { role, content } = message;
  // Chat templates drop the reasoning of earlier answers.
  if (role === 'assistant') return [content.slice(content.lastIndexOf('</think>') + 1)];
  return typeof content === 'string' ? [content] : content.flatMap(partTexts);
}

function partTexts(part: ContentPart): readonly string[] {
  return part.type === 'text' ? [part.text] : [];
}
