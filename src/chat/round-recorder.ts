import { omitUndefined } from '../kernel/omit-undefined.ts';
import type { InvalidToolCallItem, TurnItem } from '../store/turns/turn-item.ts';
import type { GenerationEvent } from '../engines/engine.ts';
import type { SessionEvent } from '../engines/session-event.ts';
import { type CheckedCall, checkToolCall } from './tool-call.ts';
import type { TurnEvent } from './turn-event.ts';
import type { ReplayedItems } from './replay-items.ts';
import type { ToolOwner, TurnTools } from './turn-tools.ts';
import { newCallId } from '../engines/backends/new-call-id.ts';
import type { ClientToolCall } from '../store/turns/content.ts';

type CallDelta = Extract<GenerationEvent, { readonly type: 'toolCall.delta' }>;
type TextDelta = Extract<TurnEvent, { readonly type: 'message.delta' | 'reasoning.delta' }>;

interface RoundOptions {
  /** Index of the generation in its turn, from 0. */
  readonly round: number;
  /** Number of calls in the generations before it. */
  readonly firstCallIndex: number;
  readonly tools: TurnTools;
  /** Receives finished texts. */
  readonly items: TurnItem[];
  readonly responseId: string;
  /** The answer that the generation continues. */
  readonly continued: ReplayedItems;
}

/** Converts the events of one generation to events of its turn, and collects the text and calls of the model. */
export class RoundRecorder {
  readonly #round: number;
  readonly #firstCallIndex: number;
  readonly #tools: TurnTools;
  readonly #items: TurnItem[];
  readonly #responseId: string;
  readonly #accumulator = new ToolCallAccumulator();
  /** The owners of the tools of the calls that have begun; undefined for a tool that does not exist. */
  readonly #owners: (ToolOwner | undefined)[] = [];
  readonly #calls: CheckedCall[] = [];
  #isReadingPrompt = true;
  #replayed: readonly TurnEvent[];
  #openText: { readonly type: 'message' | 'reasoning'; text: string } | undefined;
  #messageText = '';

  constructor({ round, firstCallIndex, tools, items, responseId, continued }: RoundOptions) {
    this.#replayed = continued.events;
    this.#openText = continued.openText && { ...continued.openText };
    this.#round = round;
    this.#firstCallIndex = firstCallIndex;
    this.#tools = tools;
    this.#items = items;
    this.#responseId = responseId;
  }

  /** The calls that are complete, in the order of the model. */
  get calls(): readonly CheckedCall[] {
    return this.#calls;
  }

  /** The text of the message, without the reasoning. */
  get messageText(): string {
    return this.#messageText;
  }

  /** Index of a call of this generation in its turn. */
  callIndex(position: number): number {
    return this.#firstCallIndex + position;
  }

  record(
    event: Exclude<SessionEvent, { readonly type: 'generation.report' | 'generation.cut' }>,
  ): readonly TurnEvent[] {
    switch (event.type) {
      case 'queued':
      case 'load.start':
      case 'load.progress':
      case 'load.end':
      case 'prompt.start':
      case 'prompt.progress':
        return [event];
      case 'reasoning.delta':
        return this.#recordText('reasoning', event);
      case 'content.delta':
        return this.#recordText('message', { ...event, type: 'message.delta' });
      case 'toolCall.delta':
        return this.#recordCall(event);
    }
  }

  /** Ends the generation. */
  end(isMalformed: boolean): readonly TurnEvent[] {
    return [
      ...this.#endPrompt(),
      ...this.#endText(),
      ...this.#endCall(),
      ...(isMalformed ? this.#recordMalformed() : []),
    ];
  }

  /** Ends a failed generation; keeps the text received so far. */
  interrupt(): readonly TurnEvent[] {
    return [...this.#takeReplayed(), ...this.#endText()];
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

  #endPrompt(): readonly TurnEvent[] {
    if (!this.#isReadingPrompt) return [];
    this.#isReadingPrompt = false;
    return [{ type: 'prompt.end' }, ...this.#takeReplayed()];
  }

  /** Events of the answer that is continued, before the first new one. */
  #takeReplayed(): readonly TurnEvent[] {
    const replayed = this.#replayed;
    this.#replayed = [];
    return replayed;
  }

  #endText(): readonly TurnEvent[] {
    if (this.#openText === undefined) return [];
    const { type, text } = this.#openText;
    this.#openText = undefined;
    this.#items.push({ type, text });
    if (type === 'message') this.#messageText += text;
    return [{ type: `${type}.end`, text }];
  }

  #recordCall(delta: CallDelta): readonly TurnEvent[] {
    const position = this.#accumulator.add(delta);
    const { id = '', name = '' } = this.#accumulator.at(position) ?? {};
    const isNew = position === this.#owners.length;
    if (isNew) this.#owners.push(this.#tools.find(name));
    const owner = this.#owners[position];
    const call = { index: this.callIndex(position), isForClient: owner?.type === 'client' };
    const piece = { type: 'toolCall.delta', ...call, argumentsJson: delta.argumentsJson } as const;
    if (!isNew) return [{ ...piece, ...omitUndefined({ name: delta.name }) }];
    const tool = owner?.type === 'server' ? owner.tool : undefined;
    const serverTool = tool && { name: tool.name, provider: tool.provider };
    return [
      ...this.#endPrompt(),
      ...this.#endText(),
      ...this.#endCall(position),
      {
        type: 'toolCall.start',
        ...call,
        exposedName: name,
        ...omitUndefined({ tool: serverTool }),
        ...(tool?.needsApproval === true ? { needsApproval: true } : {}),
      },
      { ...piece, id, name },
    ];
  }

  /**
   * A call is complete when the next one begins, or the generation ends.
   *
   * @param count Number of calls that have begun before this moment.
   */
  #endCall(count = this.#accumulator.count): readonly TurnEvent[] {
    const position = this.#calls.length;
    const written = position < count ? this.#accumulator.at(position) : undefined;
    if (written === undefined) return [];
    const index = this.callIndex(position);
    const approvalId = `mcpr_${this.#responseId.replace('resp_', '')}_${index}`;
    const call = checkToolCall({ ...written }, this.#round, this.#tools, approvalId);
    this.#calls.push(call);
    switch (call.type) {
      case 'client':
        return [{ type: 'toolCall.end', index, item: call.item }];
      case 'approval':
        return [{ type: 'toolCall.approval', index, item: call.item }];
      case 'valid': {
        const { name, provider } = call.tool;
        const args = call.arguments;
        return [{ type: 'toolCall.arguments', index, tool: { name, provider }, arguments: args }];
      }
      // The event is sent with the outcomes of the other calls.
      case 'invalid':
        return [];
    }
  }

  /** Records output that the engine could not parse; complete calls have already been checked. */
  #recordMalformed(): readonly TurnEvent[] {
    if (this.#calls.length > 0 || this.#tools.definitions().length === 0) return [];
    const item: InvalidToolCallItem = {
      type: 'invalidToolCall',
      round: this.#round,
      exposedName: '',
      cause: 'invalidName',
      reason: 'The model wrote a tool call that cannot be parsed.',
    };
    this.#items.push(item);
    return [{ type: 'toolCall.failure', index: this.callIndex(0), item }];
  }
}

interface PartialCall {
  readonly id: string;
  name: string;
  argumentsJson: string;
}

/** Joins the pieces of the calls of one generation. */
export class ToolCallAccumulator {
  readonly #calls: PartialCall[] = [];
  /** The calls by the engine's index, with their position in `#calls`. */
  readonly #begun = new Map<number, { readonly position: number; readonly call: PartialCall }>();

  /** Adds a piece and returns the position of its call in the generation. */
  add({ index, id, name = '', argumentsJson }: CallDelta): number {
    const begun = this.#begun.get(index);
    if (begun !== undefined) {
      begun.call.name += name;
      begun.call.argumentsJson += argumentsJson;
      return begun.position;
    }
    const call = { id: id ?? newCallId(), name, argumentsJson };
    const position = this.#calls.push(call) - 1;
    this.#begun.set(index, { position, call });
    return position;
  }

  /** The current state of a call; undefined if there is none. */
  at(position: number): ClientToolCall | undefined {
    return this.#calls[position];
  }

  get count(): number {
    return this.#calls.length;
  }
}
