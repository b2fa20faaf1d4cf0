import { newCallId } from '../engines/backends/new-call-id.ts';
import type { GenerationEvent } from '../engines/engine.ts';
import { omitUndefined } from '../kernel/omit-undefined.ts';
import { type CheckedCall, checkToolCall } from './tool-call.ts';
import type { TurnEvent } from './turn-event.ts';
import { type ToolOwner, TurnTools } from './turn-tools.ts';

type CallDelta = Extract<GenerationEvent, { readonly type: 'toolCall.delta' }>;

interface CallRecorderOptions {
  /** Index of the generation in its turn, from 0. */
  readonly round: number;
  /** Number of calls in earlier generations of the turn. */
  readonly firstIndex: number;
  /** Undefined if the model has none. */
  readonly tools: TurnTools | undefined;
  readonly responseId: string;
}

/** A call that is still being generated. */
interface PartialCall {
  readonly index: number;
  /** Undefined if the tool does not exist. */
  readonly owner: ToolOwner | undefined;
  readonly id: string;
  name: string;
  argumentsJson: string;
}

/** Joins the pieces of the calls of one generation, checks the calls, and creates their events. */
export class CallRecorder {
  readonly #options: CallRecorderOptions;
  readonly #tools: TurnTools;
  /** Calls by the engine's index, in the order in which the model began them. */
  readonly #begun = new Map<number, PartialCall>();
  readonly #calls: CheckedCall[] = [];
  #last: PartialCall | undefined;

  constructor(options: CallRecorderOptions) {
    this.#options = options;
    this.#tools = options.tools ?? TurnTools.none();
  }

  /** The complete calls, in the model's order. */
  get calls(): readonly CheckedCall[] {
    return this.#calls;
  }

  /**
   * Records a piece of a call.
   *
   * @param endOthers Ends earlier output when a new call begins, and returns the events.
   */
  record(delta: CallDelta, endOthers: () => readonly TurnEvent[]): readonly TurnEvent[] {
    const { argumentsJson, name = '' } = delta;
    const begun = this.#begun.get(delta.index);
    if (begun !== undefined) {
      begun.name += name;
      begun.argumentsJson += argumentsJson;
      return [{ ...pieceOf(begun, argumentsJson), ...omitUndefined({ name: delta.name }) }];
    }
    const before = [...endOthers(), ...this.end()];
    const index = this.#options.firstIndex + this.#begun.size;
    const id = delta.id ?? newCallId();
    const owner = this.#tools.find(name);
    const call: PartialCall = { index, owner, id, name, argumentsJson };
    this.#begun.set(delta.index, call);
    this.#last = call;
    const tool = owner?.type === 'server' ? owner.tool : undefined;
    const serverTool = tool && { name: tool.name, provider: tool.provider };
    return [
      ...before,
      {
        type: 'toolCall.start',
        index,
        isForClient: owner?.type === 'client',
        exposedName: name,
        ...omitUndefined({ tool: serverTool }),
        ...(tool?.needsApproval === true ? { needsApproval: true } : {}),
      },
      { ...pieceOf(call, argumentsJson), id, name },
    ];
  }

  /** Completes the last call, when the next one begins or the generation ends. */
  end(): readonly TurnEvent[] {
    if (this.#last === undefined) return [];
    const { index, id, name, argumentsJson } = this.#last;
    this.#last = undefined;
    const { round, responseId } = this.#options;
    const approvalId = `mcpr_${responseId.replace('resp_', '')}_${index}`;
    const call = checkToolCall({ id, name, argumentsJson }, round, this.#tools, approvalId);
    this.#calls.push(call);
    switch (call.type) {
      case 'client':
        return [{ type: 'toolCall.end', index, item: call.item }];
      case 'approval':
        return [{ type: 'toolCall.approval', index, item: call.item }];
      case 'valid': {
        const { tool, arguments: args } = call;
        const serverTool = { name: tool.name, provider: tool.provider };
        return [{ type: 'toolCall.arguments', index, tool: serverTool, arguments: args }];
      }
      // The event is sent with the outcomes of the other calls.
      case 'invalid':
        return [];
    }
  }
}

function pieceOf({ index, owner }: PartialCall, argumentsJson: string) {
  const isForClient = owner?.type === 'client';
  return { type: 'toolCall.delta', index, isForClient, argumentsJson } as const;
}
