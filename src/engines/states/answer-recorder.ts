import type {
  ChatGeneration,
  GenerationEvent,
  GenerationRequest,
  GenerationUsage,
} from '../engine.ts';
import { withAnswer, withText, type CachedPrompt, type PrefixHash } from './prefix-hash.ts';

interface CallText {
  name: string;
  argumentsJson: string;
}

/** Collects the answer of a generation from its events. */
export class AnswerRecorder {
  content = '';
  reasoning = '';
  readonly #calls: CallText[] = [];
  #tokens = 0;
  #promptTokens: number | undefined;
  #processedTokens = 0;
  #usage: GenerationUsage | undefined;

  /** Set when the generation has ended. */
  get usage(): GenerationUsage | undefined {
    return this.#usage;
  }

  /** Tokens of the answer so far, as many as the engine sent pieces. */
  get tokens(): number {
    return this.#tokens;
  }

  /** Undefined until the engine reports it. */
  get promptTokens(): number | undefined {
    return this.#promptTokens;
  }

  get hasCalls(): boolean {
    return this.#calls.length > 0;
  }

  accept(event: GenerationEvent): void {
    switch (event.type) {
      case 'prompt.progress':
        this.#processedTokens = event.processedTokens;
        this.#promptTokens = event.totalTokens;
        break;
      case 'reasoning.delta':
        this.reasoning += event.text;
        this.#tokens += event.tokens ?? 1;
        break;
      case 'content.delta':
        this.content += event.text;
        this.#tokens += event.tokens ?? 1;
        break;
      case 'toolCall.delta': {
        const call = (this.#calls[event.index] ??= { name: '', argumentsJson: '' });
        call.name += event.name ?? '';
        call.argumentsJson += event.argumentsJson;
        this.#tokens += 1;
        break;
      }
      case 'generation.end':
        this.#usage = event.usage;
        break;
      default:
    }
  }

  /**
   * The content of the slot: the prompt, with the answer if the generation has ended. Chat templates drop the
   * reasoning of earlier answers, so that a later prompt differs from the beginning of such an answer on.
   */
  slotContent(
    request: GenerationRequest,
    prompt: PrefixHash,
  ): Pick<CachedPrompt, 'prefix' | 'tokens' | 'heldTokens'> {
    if (this.#usage === undefined) {
      return { prefix: prompt, tokens: this.#processedTokens, heldTokens: this.#processedTokens };
    }
    const { promptTokens, completionTokens } = this.#usage;
    const heldTokens = promptTokens + completionTokens;
    if (this.reasoning !== '') return { prefix: prompt, tokens: promptTokens, heldTokens };
    const prefix =
      request.kind === 'completion'
        ? withText(prompt, this.content)
        : withAnswer(prompt, { content: this.content, toolCalls: this.#calls.filter(Boolean) });
    return { prefix, tokens: heldTokens, heldTokens };
  }

  /**
   * The conversation with the answer as later turns send it, without the reasoning that is in the slot. Undefined if
   * there is none, and if the turn continues with calls.
   */
  historyWithoutReasoning(request: GenerationRequest): ChatGeneration | undefined {
    const hasAnswer = this.#usage !== undefined && this.content !== '' && !this.hasCalls;
    if (this.reasoning === '' || !hasAnswer || request.kind !== 'chat') return undefined;
    const answer = { role: 'assistant', content: this.content } as const;
    return { ...request, messages: [...request.messages, answer] };
  }

  /** The prefix of that conversation. */
  prefixWithoutReasoning(prompt: PrefixHash): PrefixHash {
    return withAnswer(prompt, { content: this.content, toolCalls: [] });
  }
}
