import { newCallId } from '../engines/backends/new-call-id.ts';
import type { GenerationEvent } from '../engines/engine.ts';
import { omitUndefined } from '../kernel/omit-undefined.ts';
import type { ClientToolCall } from '../store/turns/content.ts';
import { type CheckedCall, checkToolCall } from './tool-call.ts';
import type { TurnEvent } from './turn-event.ts';
import { type ToolOwner, TurnTools } from './turn-tools.ts';

type CallDelta = Extract<GenerationEvent, { readonly type: 'toolCall.delta' }>;

interface CallRecorderOptions {
  /** Index of the generation in its turn, from 0. */
  readonly round: number;
  /** Number of calls in the generations before it. */
  readonly firstIndex: number;
  /** Undefined if the model has none. */
  readonly tools: TurnTools | undefined;
  readonly responseId: string;
}

/** Collects and checks the calls of one generation, and creates their events. */
export class CallRecorder {
  readonly #round: number;
  readonly #firstIndex: number;
  readonly #tools: TurnTools;
  readonly #responseId: string;
  readonly #accumulator = new ToolCallAccumulator();
  /** The owners of the tools of the calls that have begun; undefined for a tool that does not exist. */
  readonly #owners: (ToolOwner | undefined)[] = [];
  readonly #calls: CheckedCall[] = [];

  constructor({ round, firstIndex, tools, responseId }: CallRecorderOptions) {
    this.#round = round;
    this.#firstIndex = firstIndex;
    this.#tools = tools ?? TurnTools.none();
    this.#responseId = responseId;
  }

  /** The calls that are complete, in the order of the model. */
  get calls(): readonly CheckedCall[] {
    return this.#calls;
  }

  /**
   * Records a piece of a call.
   *
   * @param endOthers Ends what the model wrote before a call that begins, and returns the events.
   */
  record(delta: CallDelta, endOthers: () => readonly TurnEvent[]): readonly TurnEvent[] {
    const position = this.#accumulator.add(delta);
    const { id = '', name = '' } = this.#accumulator.at(position) ?? {};
    const isNew = position === this.#owners.length;
    if (isNew) this.#owners.push(this.#tools.find(name));
    const owner = this.#owners[position];
    const call = { index: this.#firstIndex + position, isForClient: owner?.type === 'client' };
    const piece = { type: 'toolCall.delta', ...call, argumentsJson: delta.argumentsJson } as const;
    if (!isNew) return [{ ...piece, ...omitUndefined({ name: delta.name }) }];
    const tool = owner?.type === 'server' ? owner.tool : undefined;
    const serverTool = tool && { name: tool.name, provider: tool.provider };
    return [
      ...endOthers(),
      ...this.end(position),
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
  end(count = this.#accumulator.count): readonly TurnEvent[] {
    const position = this.#calls.length;
    const written = position < count ? this.#accumulator.at(position) : undefined;
    if (written === undefined) return [];
    const index = this.#firstIndex + position;
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
