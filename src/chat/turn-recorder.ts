import type { StopReason } from '../conversation/conversation-turn.ts';
import type { ToolListItem, TurnItem } from '../conversation/turn-item.ts';
import type { EngineCapabilities, TokenLogprob } from '../engines/engine.ts';
import type { ModelSelection } from '../models/model.ts';
import { omitUndefined } from '../omit-undefined.ts';
import type { Session } from '../engines/session.ts';
import type { SessionEvent } from '../engines/session-event.ts';
import { newResponseId } from './response-id.ts';
import { RoundRecorder } from './round-recorder.ts';
import type { CallOutcome } from './tool-round.ts';
import type { TurnEvent, TurnResult } from './turn-event.ts';
import { TurnStats } from './turn-stats.ts';
import type { TurnTools } from './turn-tools.ts';

/** Collects the result of a turn over its generations, and creates the events of the turn. */
export class TurnRecorder {
  readonly #items: TurnItem[] = [];
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

  /** @param responseId Id of the response, if it has one. */
  constructor(selection: ModelSelection, responseId = newResponseId()) {
    this.#selection = selection;
    this.#responseId = responseId;
  }

  /** Whether `turn.start` was created. */
  get hasStarted(): boolean {
    return this.#instanceId !== undefined;
  }

  /** Tokens generated so far, over all generations. */
  get completionTokens(): number {
    return this.#stats.usage().completionTokens;
  }

  /** Tokens of the last generation, its prompt and its answer: what the next prompt begins with. */
  get contextTokens(): number {
    return this.#contextTokens;
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
    this.#round = new RoundRecorder({
      round: this.#roundCount,
      firstCallIndex: this.#callCount,
      tools,
      items: this.#items,
      responseId: this.#responseId,
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

  /** Whether the model has produced anything. */
  get hasItems(): boolean {
    return this.#items.length > 0;
  }

  /** The turn failed; what arrived is kept. */
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
