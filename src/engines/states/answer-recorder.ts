import type {
  ChatGeneration,
  GenerationEvent,
  GenerationRequest,
  GenerationUsage,
} from '../engine.ts';
import type { CachedPrompt } from './cached-prompt.ts';
import { withAnswer, withText, type PromptChain } from './prompt-chain.ts';

interface CallText {
  name: string;
  argumentsJson: string;
}

/** Collects from the events of a generation what its slot has read and written. */
export class AnswerRecorder {
  #content = '';
  readonly #calls: CallText[] = [];
  #hasReasoning = false;
  #processedTokens = 0;
  #usage: GenerationUsage | undefined;

  /** Of a generation that has ended. */
  get usage(): GenerationUsage | undefined {
    return this.#usage;
  }

  accept(event: GenerationEvent): void {
    switch (event.type) {
      case 'prompt.progress':
        this.#processedTokens = event.processedTokens;
        break;
      case 'reasoning.delta':
        this.#hasReasoning = true;
        break;
      case 'content.delta':
        this.#content += event.text;
        break;
      case 'toolCall.delta': {
        const call = (this.#calls[event.index] ??= { name: '', argumentsJson: '' });
        call.name += event.name ?? '';
        call.argumentsJson += event.argumentsJson;
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
  content(
    request: GenerationRequest,
    prompt: PromptChain,
  ): Pick<CachedPrompt, 'chain' | 'tokens' | 'heldTokens'> {
    if (this.#usage === undefined) {
      return { chain: prompt, tokens: this.#processedTokens, heldTokens: this.#processedTokens };
    }
    const { promptTokens, completionTokens } = this.#usage;
    const heldTokens = promptTokens + completionTokens;
    if (this.#hasReasoning) return { chain: prompt, tokens: promptTokens, heldTokens };
    const chain =
      request.kind === 'completion'
        ? withText(prompt, this.#content)
        : withAnswer(prompt, { content: this.#content, toolCalls: this.#calls.filter(Boolean) });
    return { chain, tokens: heldTokens, heldTokens };
  }

  /**
   * The conversation with the answer as later turns send it, without the reasoning that is in the slot. Undefined where
   * there is none, and if the turn continues with calls.
   */
  historyWithoutReasoning(request: GenerationRequest): ChatGeneration | undefined {
    const hasAnswer = this.#usage !== undefined && this.#content !== '' && this.#calls.length === 0;
    if (!this.#hasReasoning || !hasAnswer || request.kind !== 'chat') return undefined;
    const answer = { role: 'assistant', content: this.#content } as const;
    return { ...request, messages: [...request.messages, answer] };
  }

  /** The chain of that conversation. */
  chainWithoutReasoning(prompt: PromptChain): PromptChain {
    return withAnswer(prompt, { content: this.#content, toolCalls: [] });
  }
}
