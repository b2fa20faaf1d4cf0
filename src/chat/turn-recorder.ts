import type { StopReason, ToolApproval } from '../store/turns/conversation-turn.ts';
import type { InvalidToolCallItem, ToolListItem, TurnItem } from '../store/turns/turn-item.ts';
import type { EngineCapabilities, TokenLogprob } from '../engines/engine.ts';
import type { ModelSelection } from '../library/model.ts';
import { omitUndefined } from '../kernel/omit-undefined.ts';
import type { Session } from '../engines/session.ts';
import type {
  GenerationReport,
  InterruptedReport,
  SessionEvent,
} from '../engines/session-event.ts';
import { CallRecorder } from './call-recorder.ts';
import { sumReports } from './generation-stats.ts';
import { replayItems } from './replay-items.ts';
import type { CheckedCall } from './tool-call.ts';
import type { CallOutcome } from './tool-round.ts';
import type { TurnEvent, TurnResult } from './turn-event.ts';
import type { TurnTools } from './turn-tools.ts';

type CallDelta = Extract<SessionEvent, { readonly type: 'toolCall.delta' }>;
type TextDelta = Extract<TurnEvent, { readonly type: 'message.delta' | 'reasoning.delta' }>;

/** Collects the result of a turn over its generations (rounds), and creates the events of the turn. */
export class TurnRecorder {
  readonly #items: TurnItem[];
  #continuedItems: readonly TurnItem[];
  readonly #reports: InterruptedReport[] = [];
  readonly #logprobs: TokenLogprob[] = [];
  #selection: ModelSelection;
  readonly #responseId: string;
  #instanceId: string | undefined;
  #capabilities: EngineCapabilities | undefined;
  #loadTimeSeconds: number | undefined;
  /** Number of generations so far. */
  roundCount = 0;
  /** Number of calls before the current round. */
  #callCount = 0;
  #stopReason: StopReason | null = null;
  #stopString: string | undefined;
  #isMalformed = false;
  #contextTokens = 0;
  #droppedTurns: number | undefined;
  /** The user's choices for the tools of the conversation. */
  toolChoices: readonly ToolApproval[];

  // State of the current round.
  #tools: TurnTools | undefined;
  #calls: CallRecorder | undefined;
  #isReadingPrompt = false;
  #openText: { readonly type: 'message' | 'reasoning'; text: string } | undefined;
  #messageText = '';
  /** Events of the continued answer, which precede the first new event. */
  #replayed: TurnEvent[] = [];

  /**
   * @param responseId Id of the response, even if it is not stored.
   * @param continuedItems The answer that the turn continues.
   * @param toolChoices The choices of the conversation.
   */
  constructor(
    selection: ModelSelection,
    responseId: string,
    continuedItems: readonly TurnItem[],
    toolChoices: readonly ToolApproval[],
  ) {
    this.toolChoices = toolChoices;
    this.#selection = selection;
    this.#responseId = responseId;
    this.#items = [...continuedItems];
    this.#continuedItems = continuedItems;
  }

  /** Records a choice for a tool unless the tool has one. */
  chooseTool(choice: ToolApproval): void {
    this.toolChoices = [...this.toolChoices, choice];
  }

  /** True if `turn.start` was created. */
  get hasStarted(): boolean {
    return this.#instanceId !== undefined;
  }

  /** Tokens generated so far, over all generations. */
  get completionTokens(): number {
    return sumReports(this.#reports).usage.completionTokens;
  }

  /** Tokens of the last generation, prompt and answer: the beginning of the next prompt. */
  get contextTokens(): number {
    return this.#contextTokens;
  }

  /** The round's complete calls, in the model's order. */
  get calls(): readonly CheckedCall[] {
    return this.#calls?.calls ?? [];
  }

  /** The round's text, without the reasoning. */
  get messageText(): string {
    return this.#messageText;
  }

  /** Converts a call's position in the round to its index in the turn. */
  callIndex(position: number): number {
    return this.#callCount + position;
  }

  start(instanceId: string): Extract<TurnEvent, { readonly type: 'turn.start' }> {
    this.#instanceId = instanceId;
    return { type: 'turn.start', instanceId, selection: this.#selection };
  }

  noteInstance({ lease, loadTimeSeconds }: Session): void {
    this.#selection = lease.instance.selection;
    this.#capabilities = lease.loaded.capabilities;
    this.#loadTimeSeconds ??= loadTimeSeconds;
  }

  /** Records the number of turns of the history that the model did not see. */
  noteDroppedTurns(count: number): void {
    this.#droppedTurns = count;
  }

  /** Records a server's tools, which the client asked to see. */
  recordToolList(item: ToolListItem): void {
    this.#items.push(item);
  }

  /** Reserves indexes for calls that an earlier turn requested, and returns the first. */
  reserveCalls(count: number): number {
    const first = this.#callCount;
    this.#callCount += count;
    return first;
  }

  /** Begins the next round. */
  beginRound(tools: TurnTools | undefined): void {
    this.#callCount += this.calls.length;
    this.roundCount += 1;
    this.#stopReason = null;
    this.#tools = tools;
    this.#calls = undefined;
    this.#isReadingPrompt = true;
    this.#openText = undefined;
    this.#messageText = '';
    if (this.#continuedItems.length > 0) this.#continue();
  }

  /** Starts the round with the answer that it continues. */
  #continue(): void {
    const { events, openText, callCount } = replayItems(this.#continuedItems);
    this.#continuedItems = [];
    if (openText !== undefined) this.#items.pop();
    this.#openText = openText && { ...openText };
    this.#replayed = [...events];
    this.#callCount += callCount;
  }

  record(step: SessionEvent): readonly TurnEvent[] {
    switch (step.type) {
      case 'content.delta':
        if (step.logprobs !== undefined) this.#logprobs.push(...step.logprobs);
        return this.#recordText('message', { ...step, type: 'message.delta' });
      case 'reasoning.delta':
        return this.#recordText('reasoning', step);
      case 'toolCall.delta':
        return this.#recordCall(step);
      case 'generation.cut':
        this.#reports.push(step.report);
        return [];
      case 'generation.report':
        return this.#endRound(step.report);
      default:
        return [step];
    }
  }

  #recordText(type: 'message' | 'reasoning', delta: TextDelta): readonly TurnEvent[] {
    if (this.#openText?.type === type) {
      this.#openText.text += delta.text;
      return this.#isReadingPrompt ? [...this.#endPrompt(), delta] : [delta];
    }
    const before = [...this.#endPrompt(), ...this.#endText()];
    this.#openText = { type, text: delta.text };
    return [...before, { type: `${type}.start` }, delta];
  }

  #recordCall(delta: CallDelta): readonly TurnEvent[] {
    this.#calls ??= new CallRecorder({
      round: this.roundCount - 1,
      firstIndex: this.#callCount,
      tools: this.#tools,
      responseId: this.#responseId,
    });
    return this.#calls.record(delta, () => [...this.#endPrompt(), ...this.#endText()]);
  }

  #endRound(report: GenerationReport): readonly TurnEvent[] {
    const { usage, stopReason, stopString, isMalformed } = report;
    this.#reports.push(report);
    this.#contextTokens = usage.promptTokens + usage.completionTokens;
    this.#stopReason = stopReason;
    this.#stopString = stopString;
    this.#isMalformed = isMalformed;
    const events = [...this.#endPrompt(), ...this.#endText()];
    if (this.#calls !== undefined) events.push(...this.#calls.end());
    else if (isMalformed) events.push(...this.#recordMalformed());
    return events;
  }

  #endPrompt(): readonly TurnEvent[] {
    if (!this.#isReadingPrompt) return [];
    this.#isReadingPrompt = false;
    return [{ type: 'prompt.end' }, ...this.#replayed.splice(0)];
  }

  #endText(): readonly TurnEvent[] {
    if (this.#openText === undefined) return [];
    const { type, text } = this.#openText;
    this.#openText = undefined;
    this.#items.push({ type, text });
    if (type === 'message') this.#messageText += text;
    return [{ type: `${type}.end`, text }];
  }

  /**
   * Records unparseable output as an invalid call. It can only be a call if the model has tools and made no valid call.
   */
  #recordMalformed(): readonly TurnEvent[] {
    if (this.#tools === undefined || this.#tools.isEmpty) return [];
    const item: InvalidToolCallItem = {
      type: 'invalidToolCall',
      round: this.roundCount - 1,
      exposedName: '',
      cause: 'invalidName',
      reason: 'The model wrote a tool call that cannot be parsed.',
    };
    this.#items.push(item);
    return [{ type: 'toolCall.failure', index: this.#callCount, item }];
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

  /** Replaces the last generation's stop reason as the turn's. */
  overrideStopReason(stopReason: StopReason): void {
    this.#stopReason = stopReason;
  }

  /** True if the model has produced anything. */
  get hasItems(): boolean {
    return this.#items.length > 0;
  }

  /** Marks the turn as failed; output received so far is kept. */
  interrupt(): readonly TurnEvent[] {
    this.#stopReason = null;
    return [...this.#replayed.splice(0), ...this.#endText()];
  }

  result(responseId: string | undefined): TurnResult {
    return {
      instanceId: this.#instanceId ?? '',
      selection: this.#selection,
      items: [...this.#items],
      stopReason: this.#stopReason,
      isMalformed: this.#isMalformed,
      ...sumReports(this.#reports, this.#loadTimeSeconds),
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
