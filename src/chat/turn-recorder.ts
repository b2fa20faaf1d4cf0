import type {
  StopReason,
  ToolApproval,
  TurnTimings,
  TurnUsage,
} from '../store/turns/conversation-turn.ts';
import type { ToolListItem, TurnItem } from '../store/turns/turn-item.ts';
import type { EngineCapabilities, TokenLogprob } from '../engines/engine.ts';
import type { ModelSelection } from '../library/model.ts';
import { omitUndefined } from '../kernel/omit-undefined.ts';
import type { Session } from '../engines/session.ts';
import type { InterruptedReport, SessionEvent } from '../engines/session-event.ts';
import { newResponseId } from './turn-request.ts';
import { replayItems } from './replay-items.ts';
import { RoundRecorder } from './round-recorder.ts';
import type { CallOutcome } from './tool-round.ts';
import type { TurnEvent, TurnResult } from './turn-event.ts';
import type { TurnTools } from './turn-tools.ts';

/** Collects the result of a turn over its generations, and creates the events of the turn. */
export class TurnRecorder {
  readonly #items: TurnItem[];
  #continuedItems: readonly TurnItem[];
  readonly #stats = new TurnStats();
  readonly #logprobs: TokenLogprob[] = [];
  #selection: ModelSelection;
  readonly #responseId: string;
  #instanceId: string | undefined;
  #capabilities: EngineCapabilities | undefined;
  #round: RoundRecorder | undefined;
  #roundCount = 0;
  #callCount = 0;
  #stopReason: StopReason | null = null;
  #stopString: string | undefined;
  #isMalformed = false;
  #contextTokens = 0;
  #droppedTurns: number | undefined;
  #toolChoices: readonly ToolApproval[];

  /**
   * @param responseId Id of the response, if it has one.
   * @param continuedItems The answer that the turn continues.
   * @param toolChoices The choices of the conversation.
   */
  constructor(
    selection: ModelSelection,
    responseId = newResponseId(),
    continuedItems: readonly TurnItem[] = [],
    toolChoices: readonly ToolApproval[] = [],
  ) {
    this.#toolChoices = toolChoices;
    this.#selection = selection;
    this.#responseId = responseId;
    this.#items = [...continuedItems];
    this.#continuedItems = continuedItems;
  }

  /** The user's choices for the tools of the conversation. */
  get toolChoices(): readonly ToolApproval[] {
    return this.#toolChoices;
  }

  /** Records a choice for a tool that has none. */
  chooseTool(choice: ToolApproval): void {
    this.#toolChoices = [...this.#toolChoices, choice];
  }

  /** True if `turn.start` was created. */
  get hasStarted(): boolean {
    return this.#instanceId !== undefined;
  }

  /** Tokens generated so far, over all generations. */
  get completionTokens(): number {
    return this.#stats.usage().completionTokens;
  }

  /** Tokens of the last generation, prompt and answer: the beginning of the next prompt. */
  get contextTokens(): number {
    return this.#contextTokens;
  }

  /** Generations so far. */
  get roundCount(): number {
    return this.#roundCount;
  }

  start(instanceId: string): Extract<TurnEvent, { readonly type: 'turn.start' }> {
    this.#instanceId = instanceId;
    return { type: 'turn.start', instanceId, selection: this.#selection };
  }

  noteInstance({ selection, capabilities, loadTimeSeconds }: Session): void {
    this.#selection = selection;
    this.#capabilities = capabilities;
    this.#stats.noteLoad(loadTimeSeconds);
  }

  /** Turns of the history that the model did not see. */
  noteDroppedTurns(count: number): void {
    this.#droppedTurns = count;
  }

  /** Records the tools of a server, which the client asked to see. */
  recordToolList(item: ToolListItem): void {
    this.#items.push(item);
  }

  /** Numbers calls that an earlier turn made, and returns the index of the first. */
  reserveCalls(count: number): number {
    const first = this.#callCount;
    this.#callCount += count;
    return first;
  }

  /** Begins the next generation. */
  beginRound(tools: TurnTools): RoundRecorder {
    this.#stopReason = null;
    const continued = replayItems(this.#continuedItems);
    this.#continuedItems = [];
    if (continued.openText !== undefined) this.#items.pop();
    this.#callCount += continued.callCount;
    this.#round = new RoundRecorder({
      round: this.#roundCount,
      firstCallIndex: this.#callCount,
      tools,
      items: this.#items,
      responseId: this.#responseId,
      continued,
    });
    this.#roundCount += 1;
    return this.#round;
  }

  record(round: RoundRecorder, step: SessionEvent): readonly TurnEvent[] {
    if (step.type === 'generation.cut') {
      this.#stats.add(step.report);
      return [];
    }
    if (step.type !== 'generation.report') {
      if (step.type === 'content.delta') this.#logprobs.push(...(step.logprobs ?? []));
      return round.record(step);
    }
    const { report } = step;
    this.#stats.add(report);
    this.#contextTokens = report.usage.promptTokens + report.usage.completionTokens;
    this.#stopReason = report.stopReason;
    this.#stopString = report.stopString;
    this.#isMalformed = report.isMalformed;
    const events = round.end(report.isMalformed);
    this.#callCount += round.calls.length;
    return events;
  }

  /** Records the outcome of a call. */
  recordOutcome({ item }: CallOutcome, index: number): readonly TurnEvent[] {
    this.#items.push(item);
    switch (item.type) {
      case 'toolCall':
        return [{ type: 'toolCall.success', index, item }];
      case 'invalidToolCall':
        return [{ type: 'toolCall.failure', index, item }];
      // The event was sent when the call was complete.
      case 'clientToolCall':
      case 'approvalRequest':
        return [];
    }
  }

  /** Sets why the turn ended if that is not the reason of its last generation. */
  overrideStopReason(stopReason: StopReason): void {
    this.#stopReason = stopReason;
  }

  /** True if the model has produced anything. */
  get hasItems(): boolean {
    return this.#items.length > 0;
  }

  /** The turn failed; the received output is kept. */
  interrupt(): readonly TurnEvent[] {
    this.#stopReason = null;
    return this.#round?.interrupt() ?? [];
  }

  result(responseId: string | undefined): TurnResult {
    return {
      instanceId: this.#instanceId ?? '',
      selection: this.#selection,
      items: [...this.#items],
      stopReason: this.#stopReason,
      isMalformed: this.#isMalformed,
      usage: this.#stats.usage(),
      timings: this.#stats.timings(),
      ...omitUndefined({
        droppedTurns: this.#droppedTurns,
        capabilities: this.#capabilities,
        responseId,
        stopString: this.#stopString,
        logprobs: this.#logprobs.length === 0 ? undefined : this.#logprobs,
      }),
    };
  }
}

/** Sums the statistics of the generations of a turn; zeros if none has ended. */
export class TurnStats {
  #promptTokens = 0;
  #cachedTokens = 0;
  #completionTokens = 0;
  #reasoningTokens = 0;
  #drafts: TurnUsage['drafts'];
  #generationSeconds = 0;
  /** Measured over generations with two tokens or more: the first token is part of processing the prompt. */
  #timedTokens = 0;
  #timedSeconds = 0;
  #timeToFirstTokenSeconds: number | undefined;
  #loadTimeSeconds: number | undefined;

  /** @param seconds Undefined if the model was loaded already. */
  noteLoad(seconds: number | undefined): void {
    this.#loadTimeSeconds ??= seconds;
  }

  add({ usage, reasoningTokens, timeToFirstTokenSeconds }: InterruptedReport): void {
    const generationSeconds = usage.generationMs / 1000;
    this.#promptTokens += usage.promptTokens;
    this.#cachedTokens += usage.cachedTokens;
    this.#completionTokens += usage.completionTokens;
    this.#reasoningTokens += reasoningTokens;
    this.#drafts = sumDrafts(this.#drafts, usage.drafts);
    this.#generationSeconds += generationSeconds;
    this.#timeToFirstTokenSeconds ??= timeToFirstTokenSeconds;
    if (usage.completionTokens > 1) {
      this.#timedTokens += usage.completionTokens;
      this.#timedSeconds += generationSeconds;
    }
  }

  usage(): TurnUsage {
    return {
      promptTokens: this.#promptTokens,
      cachedTokens: this.#cachedTokens,
      completionTokens: this.#completionTokens,
      reasoningTokens: this.#reasoningTokens,
      ...omitUndefined({ drafts: this.#drafts }),
    };
  }

  timings(): TurnTimings {
    return {
      timeToFirstTokenSeconds: this.#timeToFirstTokenSeconds ?? 0,
      generationSeconds: this.#generationSeconds,
      tokensPerSecond: this.#timedSeconds > 0 ? this.#timedTokens / this.#timedSeconds : 0,
      ...omitUndefined({ loadTimeSeconds: this.#loadTimeSeconds }),
    };
  }
}

function sumDrafts(one: TurnUsage['drafts'], other: TurnUsage['drafts']): TurnUsage['drafts'] {
  if (one === undefined || other === undefined) return one ?? other;
  return {
    proposedTokens: one.proposedTokens + other.proposedTokens,
    acceptedTokens: one.acceptedTokens + other.acceptedTokens,
  };
}
