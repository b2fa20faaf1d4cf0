import { omitUndefined } from '../omit-undefined.ts';
import type { ChatResult } from '../contract/v1/chat.ts';
import type { Tool } from '../tools/toolbox.ts';
import type { GenerationStep } from './generation.ts';
import { toOutputItem, type StoredOutputItem } from './stored-output.ts';
import {
  ToolCallAccumulator,
  validateToolCall,
  providerInfo,
  type ValidatedToolCall,
  type WrittenCall,
} from './tool-call.ts';
import type { CallOutcome } from './tool-round.ts';
import type { TurnEvent } from './turn-event.ts';
import { TurnStats } from './turn-stats.ts';

type TextKind = 'reasoning' | 'message';

/** What one generation said: the text of its message, and the calls that it ended with. */
export interface RoundRecord {
  readonly text: string;
  readonly calls: readonly (WrittenCall & { readonly validated: ValidatedToolCall })[];
}

/** Follows the generations of a turn: gives its events as they happen and gathers its result. */
export class TurnRecorder {
  readonly #tools: () => readonly Tool[];
  readonly #output: StoredOutputItem[] = [];
  readonly #stats = new TurnStats();
  #open: { readonly kind: TextKind; text: string } | undefined;
  #isReadingPrompt = false;
  #instanceId: string | undefined;
  #roundNumber = 0;
  #text = '';
  #accumulator = new ToolCallAccumulator();
  #calls: (WrittenCall & { readonly validated: ValidatedToolCall })[] = [];

  /** @param tools Those that the model is offered. */
  constructor(tools: () => readonly Tool[]) {
    this.#tools = tools;
  }

  /** Whether `chat.start` was given. */
  get hasStarted(): boolean {
    return this.#instanceId !== undefined;
  }

  /** Tokens generated so far, over all rounds. */
  get outputTokens(): number {
    return this.#stats.outputTokens;
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
      case 'slot.assigned':
        return [];
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
        this.#stats.noteLoad(step.loadTimeSeconds);
        return [{ type: 'prompt_processing.start' }];
      case 'prompt.progress':
        return [
          {
            type: 'prompt_processing.progress',
            progress: Math.min(1, step.processedTokens / Math.max(1, step.totalTokens)),
          },
        ];
      case 'generation.report':
        this.#stats.add(step.report);
        return [
          ...this.#endPrompt(),
          ...this.#endText(),
          ...this.#endCall(),
          ...(step.report.isMalformed ? this.#recordMalformed() : []),
        ];
      case 'tool_call.delta':
        return this.#recordCall(step);
    }
  }

  /** What the generation that just ended said; the next one starts afresh. */
  takeRound(): RoundRecord {
    const round = { text: this.#text, calls: this.#calls };
    this.#roundNumber += 1;
    this.#text = '';
    this.#calls = [];
    this.#accumulator = new ToolCallAccumulator();
    return round;
  }

  /** @param exposedName The tool as the model named it. */
  recordOutcome({ item }: CallOutcome, exposedName: string): TurnEvent {
    // The number of the round is that of the generation before.
    this.#output.push({ ...item, round: this.#roundNumber - 1, offered_name: exposedName });
    if (item.type === 'tool_call') return { ...item, type: 'tool_call.success' };
    return { ...item, type: 'tool_call.failure' };
  }

  /** Ends what is open after a failure; what arrived is kept. */
  interrupt(): readonly TurnEvent[] {
    return this.#endText();
  }

  result(responseId: string | undefined): ChatResult {
    return {
      ...this.#instance(),
      output: this.#output.map(toOutputItem),
      stats: this.#stats.toJson(),
      ...omitUndefined({ response_id: responseId }),
    };
  }

  /** The output with what a later turn needs to put the same prompt together. */
  storedOutput(): readonly StoredOutputItem[] {
    return [...this.#output];
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
    if (kind === 'message') this.#text += text;
    return [{ type: `${kind}.end` }];
  }

  #recordCall(delta: Extract<GenerationStep, { type: 'tool_call.delta' }>): readonly TurnEvent[] {
    const isNew = !this.#accumulator.has(delta.index);
    const before = isNew ? [...this.#endPrompt(), ...this.#endText(), ...this.#endCall()] : [];
    this.#accumulator.add(delta);
    if (!isNew) return [];
    const tool = this.#tools().find(({ exposedName }) => exposedName === delta.name);
    if (tool === undefined) return before;
    const { name, provider } = tool;
    return [
      ...before,
      { type: 'tool_call.start', tool: name, provider_info: providerInfo(provider) },
    ];
  }

  /** A call is whole when the next one begins, or with the end of the generation. */
  #endCall(): readonly TurnEvent[] {
    const call = this.#accumulator.calls[this.#calls.length];
    if (call === undefined) return [];
    const validated = validateToolCall(call, this.#tools());
    this.#calls.push({ ...call, validated });
    if (!validated.isValid) return [];
    const { tool, args } = validated;
    return [
      {
        type: 'tool_call.arguments',
        tool: tool.name,
        arguments: { ...args },
        provider_info: providerInfo(tool.provider),
      },
    ];
  }

  /** The engine could not make out what the model wrote; where it was a call, it has been validated already. */
  #recordMalformed(): readonly TurnEvent[] {
    if (this.#tools().length === 0 || this.#calls.length > 0) return [];
    const item = {
      reason: 'The model wrote a tool call that can not be parsed.',
      metadata: { type: 'invalid_name' as const, tool_name: '' },
    };
    this.#output.push({ type: 'invalid_tool_call', ...item });
    return [{ type: 'tool_call.failure', ...item }];
  }
}
