import { given } from '../contract/given.ts';
import type { ChatResult, ChatStats, OutputItem } from '../contract/v1/chat.ts';
import type { GenerationReport, GenerationStep } from './generation.ts';
import type { TurnEvent } from './turn-event.ts';

type TextKind = 'reasoning' | 'message';

/** Follows a generation: gives the events of a turn as they happen and gathers its result. */
export class TurnRecorder {
  readonly #output: OutputItem[] = [];
  #open: { readonly kind: TextKind; text: string } | undefined;
  #isReadingPrompt = false;
  #instanceId: string | undefined;
  #loadTimeSeconds: number | undefined;
  #report: GenerationReport | undefined;

  /** Whether `chat.start` was given. */
  get hasStarted(): boolean {
    return this.#instanceId !== undefined;
  }

  record(step: GenerationStep): readonly TurnEvent[] {
    switch (step.type) {
      case 'content.delta':
        return this.#appendText('message', step.text);
      case 'reasoning.delta':
        return this.#appendText('reasoning', step.text);
      case 'instance.chosen':
        this.#instanceId = step.instanceId;
        return [{ type: 'chat.start', ...this.#instance() }];
      case 'load.start':
        return [{ type: 'model_load.start', ...this.#instance() }];
      case 'load.progress':
        return [{ type: 'model_load.progress', ...this.#instance(), progress: step.fraction }];
      case 'load.end':
        return [
          {
            type: 'model_load.end',
            ...this.#instance(),
            load_time_seconds: step.loadTimeSeconds,
          },
        ];
      case 'generation.start':
        this.#isReadingPrompt = true;
        this.#loadTimeSeconds = step.loadTimeSeconds;
        return [{ type: 'prompt_processing.start' }];
      case 'prompt.progress':
        return [
          {
            type: 'prompt_processing.progress',
            progress: Math.min(1, step.processedTokens / Math.max(1, step.totalTokens)),
          },
        ];
      case 'generation.report':
        this.#report = step.report;
        return [...this.#endPrompt(), ...this.#endText()];
      case 'tool_call.delta':
        return [];
    }
  }

  /** Ends what is open after a failure; what arrived is kept. */
  interrupt(): readonly TurnEvent[] {
    return this.#endText();
  }

  result(responseId: string | undefined): ChatResult {
    return {
      ...this.#instance(),
      output: [...this.#output],
      stats: this.#stats(),
      ...given({ response_id: responseId }),
    };
  }

  /** Statistics; zeros where nothing was generated. */
  #stats(): ChatStats {
    const report = this.#report;
    return {
      input_tokens: report?.usage.promptTokens ?? 0,
      total_output_tokens: report?.usage.completionTokens ?? 0,
      reasoning_output_tokens: report?.reasoningTokens ?? 0,
      tokens_per_second: report?.tokensPerSecond ?? 0,
      time_to_first_token_seconds: report?.timeToFirstTokenSeconds ?? 0,
      ...given({ model_load_time_seconds: this.#loadTimeSeconds }),
    };
  }

  #instance(): { readonly model_instance_id: string } {
    return { model_instance_id: this.#instanceId ?? '' };
  }

  #appendText(kind: TextKind, text: string): readonly TurnEvent[] {
    const delta: TurnEvent = { type: `${kind}.delta`, content: text };
    if (this.#open?.kind === kind) {
      this.#open.text += text;
      return [delta];
    }
    const before = [...this.#endPrompt(), ...this.#endText()];
    this.#open = { kind, text };
    return [...before, { type: `${kind}.start` }, delta];
  }

  #endPrompt(): readonly TurnEvent[] {
    if (!this.#isReadingPrompt) return [];
    this.#isReadingPrompt = false;
    return [{ type: 'prompt_processing.end' }];
  }

  #endText(): readonly TurnEvent[] {
    if (this.#open === undefined) return [];
    const { kind, text } = this.#open;
    this.#open = undefined;
    this.#output.push({ type: kind, content: text });
    return [{ type: `${kind}.end` }];
  }
}
