import { Mutex } from '../../kernel/concurrency/semaphore.ts';
import { TimeoutError, withTimeout } from '../../kernel/concurrency/with-timeout.ts';
import { HearthError } from '../../kernel/errors/errors.ts';
import type {
  ChatGeneration,
  ContentPart,
  Engine,
  EngineMessage,
  GenerationRequest,
  Prompt,
} from '../engine.ts';
import type { TokenizerFacts } from '../../library/tokenizer-facts.ts';
import { withSignal, type RequestContext } from '../../kernel/request/request-context.ts';
import { foldText, minTokens } from './prompt-size.ts';

/** Shorter prompts are not checked here: the engine itself counts them exactly, and quickly. */
const minCharacters = 64 * 1024;
/**
 * Clients may count prompts that are too long, in order to shorten them. But a prompt that exceeds this multiple of
 * the context is not counted.
 */
const maxCountedContexts = 16;
/** Templates may leave out parts of tools, so tools count as a part of the prompt only if they are longer. */
const maxUnshownCharacters = 1024 * 1024;
/** A long text is counted in pieces of this length, so that the counting can stop early. */
const pieceCharacters = 64 * 1024;
/** Length of a piece's end that is searched for white space, to cut the piece there. */
const cutCharacters = 1024;
/** Maximum number of additional tokens that a cut may cause. */
const tokensPerCut = 16;

interface PromptGateOptions {
  readonly engine: Engine;
  /** Null if nothing is known about the tokenizer. */
  readonly tokenizer: TokenizerFacts | null;
  readonly contextLength: number;
  /** True if the engine can't count tokens. It then rejects prompts that are too long itself. */
  readonly estimatesTokens?: boolean | undefined;
  /** Time limit for counting the tokens of one prompt. */
  readonly countTimeoutMs?: number;
}

/**
 * Rejects prompts that exceed the context before the engine reads them. Reading costs the engine time and memory in
 * proportion to the prompt's length, and its other requests wait meanwhile. If a lower bound of the tokens already
 * exceeds the context, the prompt is rejected without the engine. The engine's tokenizer counts other long prompts,
 * in pieces, one prompt at a time.
 */
export class PromptGate {
  readonly #engine: Engine;
  readonly #tokenizer: TokenizerFacts | null;
  readonly #contextLength: number;
  readonly #estimatesTokens: boolean;
  readonly #countTimeoutMs: number;
  readonly #counting = new Mutex();

  constructor(options: PromptGateOptions) {
    const { engine, tokenizer, contextLength } = options;
    const { estimatesTokens = false, countTimeoutMs = 15_000 } = options;
    this.#engine = engine;
    this.#estimatesTokens = estimatesTokens;
    this.#tokenizer = tokenizer;
    this.#contextLength = contextLength;
    this.#countTimeoutMs = countTimeoutMs;
  }

  /** True if a request is so long that `admit` must check it. */
  isLong(request: GenerationRequest): boolean {
    if (this.#estimatesTokens) return false;
    const count = request.kind === 'chat' ? request.messages.length : 0;
    return count > this.#contextLength || charactersOf(request) >= minCharacters;
  }

  /** True if the inputs are so long that `admitInputs` must check them. */
  areLong(inputs: readonly Prompt[]): boolean {
    return !this.#estimatesTokens && sum(inputs.map(({ length }) => length)) >= minCharacters;
  }

  /** @throws HearthError `context_length_exceeded`; the signal's reason when aborted. */
  async admit(request: GenerationRequest, context: RequestContext): Promise<void> {
    const subject = 'The prompt';
    const texts = promptTexts(request);
    this.#assertMessages(request);
    await this.#assertMayFit(texts, subject);
    const rendered = await this.#render(request, context);
    if (rendered !== undefined) await this.#assertMayFit([rendered], subject);
    await this.#assertFits(rendered === undefined ? texts : [rendered], subject, context);
  }

  /**
   * Rejects a prompt that is too long to be counted.
   *
   * @throws HearthError `context_length_exceeded`.
   */
  async admitCount(request: ChatGeneration): Promise<void> {
    this.#assertMessages(request, maxCountedContexts);
    await this.#assertMayFit(promptTexts(request), 'The prompt', maxCountedContexts);
  }

  /**
   * @returns The inputs, without white space that the tokenizer ignores.
   * @throws HearthError `context_length_exceeded`; the signal's reason when aborted.
   */
  async admitInputs(
    inputs: readonly Prompt[],
    context: RequestContext,
  ): Promise<readonly Prompt[]> {
    const subject = 'An input';
    const admitted: Prompt[] = [];
    for (const input of inputs) {
      context.signal.throwIfAborted();
      await this.#assertMayFit([input], subject);
      const isFolded = typeof input === 'string' && this.#tokenizer?.keeps === 'words';
      const folded = isFolded ? await foldText(input) : input;
      await this.#assertFits([folded], subject, context);
      admitted.push(folded);
    }
    return admitted;
  }

  /** Renders a chat with its tools as the engine reads it. */
  async #render(request: GenerationRequest, context: RequestContext): Promise<string | undefined> {
    // If the tokenizer is unknown, the size of the prompt has not been limited yet.
    if (request.kind === 'completion' || this.#tokenizer === null) return undefined;
    return this.#engine.renderPrompt(withoutImages(request), context);
  }

  /**
   * Rejects chats with more messages than the context has tokens, since a template adds at least one token per
   * message. The engine's time to render messages is quadratic in their number.
   */
  #assertMessages(request: GenerationRequest, contexts = 1): void {
    const count = request.kind === 'chat' ? request.messages.length : 0;
    if (count > contexts * this.#contextLength) throw this.#tooLong('The prompt', count);
  }

  /** Rejects texts if a lower bound of their tokens exceeds this number of contexts. */
  async #assertMayFit(texts: readonly Prompt[], subject: string, contexts = 1): Promise<void> {
    if (this.#tokenizer === null) return;
    const most = contexts * this.#contextLength;
    let tokens = 0;
    for (const text of texts) {
      tokens += await minTokens(text, this.#tokenizer, most);
      if (tokens > most) throw this.#tooLong(subject, tokens);
    }
  }

  /** Counts the tokens of the texts with the engine, until there are too many. */
  async #assertFits(
    texts: readonly Prompt[],
    subject: string,
    context: RequestContext,
  ): Promise<void> {
    // A token has at least one byte.
    if (sum(texts.map(maxTokens)) <= this.#contextLength) return;
    const { signal } = context;
    try {
      await this.#counting.run(
        () =>
          withTimeout(this.#countTimeoutMs, signal, (inner) =>
            this.#count(texts, subject, withSignal(context, inner)),
          ),
        signal,
      );
    } catch (error) {
      if (!(error instanceof TimeoutError)) throw error;
      throw new HearthError(
        'context_length_exceeded',
        `${subject} is too long: its tokens were not counted in ${this.#countTimeoutMs / 1000} s. Send a shorter one.`,
      );
    }
  }

  async #count(texts: readonly Prompt[], subject: string, context: RequestContext): Promise<void> {
    let tokens = 0;
    for (const text of texts) {
      if (typeof text !== 'string') {
        tokens += text.length;
        continue;
      }
      for (const piece of piecesOf(text)) {
        const count = await this.#engine.countTokens(piece, context);
        tokens += Math.max(0, piece.length === text.length ? count : count - tokensPerCut);
        if (tokens > this.#contextLength) throw this.#tooLong(subject, tokens);
      }
    }
  }

  #tooLong(subject: string, leastTokens: number): HearthError {
    const tokens = Math.ceil(leastTokens);
    const contextLength = this.#contextLength;
    return new HearthError(
      'context_length_exceeded',
      `${subject} has at least ${tokens} tokens; the context of the model holds ${contextLength}.`,
      { promptSize: { tokens, isLowerBound: true, maxTokens: contextLength } },
    );
  }
}

function charactersOf(request: GenerationRequest): number {
  if (request.kind === 'completion') return request.prompt.length + (request.suffix?.length ?? 0);
  let characters = request.tools === undefined ? 0 : toolsJson(request).length;
  for (const { content } of request.messages) {
    if (typeof content === 'string') characters += content.length;
    else for (const part of content) if (part.type === 'text') characters += part.text.length;
  }
  return characters;
}

/** The texts that are completely contained in the prompt. */
function promptTexts(request: GenerationRequest): readonly Prompt[] {
  if (request.kind === 'completion') return [request.prompt, request.suffix ?? ''];
  const json = toolsJson(request);
  return [
    ...request.messages.flatMap(messageTexts),
    ...(json.length > maxUnshownCharacters ? [json] : []),
  ];
}

function toolsJson({ tools = [] }: ChatGeneration): string {
  return tools.length === 0 ? '' : JSON.stringify(tools);
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

function withoutImages(request: ChatGeneration): ChatGeneration {
  const messages = request.messages.map((message): EngineMessage =>
    typeof message.content === 'string' || message.role === 'assistant'
      ? message
      : { ...message, content: message.content.flatMap(partTexts).join('\n') },
  );
  return { ...request, messages };
}

function maxTokens(text: Prompt): number {
  return typeof text === 'string' ? Buffer.byteLength(text) : text.length;
}

/** Cuts a text before white space, if there is any near the end of the piece. */
function* piecesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length;) {
    const end = Math.min(start + pieceCharacters, text.length);
    const tail = text.slice(Math.max(start, end - cutCharacters), end);
    const blank = end === text.length ? -1 : tail.search(/\s\S*$/);
    const cut = blank <= 0 ? end : end - tail.length + blank;
    yield text.slice(start, cut);
    start = cut;
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
