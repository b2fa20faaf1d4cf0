import type { TurnEvent, TurnResult } from '../../../chat/turn-event.ts';
import type { OpenAiOutputItem, OpenAiResponse } from './response-schema.ts';
import { HearthError } from '../../../kernel/errors/errors.ts';
import type { ToolListItem, TurnItem } from '../../../store/turns/turn-item.ts';
import type { TokenLogprob } from '../../../engines/engine.ts';
import { omitUndefined } from '../../../kernel/omit-undefined.ts';
import { withNamespace } from './namespaces.ts';
import type { ResponseEvent } from './response-event.ts';
import { isFileSearch } from '../../../tools/file-search.ts';
import { queriesOf, ReadPassages, type FileSearchCall } from './file-search.ts';
import { itemId, labelOf, toOutputItem, toOutputText, toStreamLogprob } from './to-output-item.ts';
import { isFull, toUsage } from './to-response.ts';

type Call =
  | Extract<OpenAiOutputItem, { readonly type: 'function_call' | 'mcp_call' }>
  | FileSearchCall;
type ApprovalRequest = Extract<OpenAiOutputItem, { readonly type: 'mcp_approval_request' }>;
type ToolList = Extract<OpenAiOutputItem, { readonly type: 'mcp_list_tools' }>;

/** Converts turn events to response events, and collects the response. */
export class ResponseStream {
  readonly #base: OpenAiResponse;
  readonly #output: OpenAiOutputItem[] = [];
  /** Output index of each call, by its index in the turn. */
  readonly #callPositions = new Map<number, number>();
  #logprobs: TokenLogprob[] = [];
  #failure: HearthError | undefined;
  #hasBegun = false;
  readonly #now: () => number;
  readonly #includesResults: boolean;
  readonly #passages = new ReadPassages();

  /**
   * @param base The initial response: in progress, without output.
   * @param now Current time in Unix milliseconds.
   * @param includesResults Adds results to file searches.
   */
  constructor(base: OpenAiResponse, now: () => number = Date.now, includesResults = false) {
    this.#base = base;
    this.#now = now;
    this.#includesResults = includesResults;
  }

  /** The error of a `turn.error` event, if there was one. */
  get failure(): HearthError | undefined {
    return this.#failure;
  }

  /** A background response is queued until its generation begins. */
  begin(): readonly ResponseEvent[] {
    return this.#base.background
      ? [
          { type: 'response.created', response: this.snapshot('queued') },
          { type: 'response.queued', response: this.snapshot('queued') },
        ]
      : [
          { type: 'response.created', response: this.#base },
          { type: 'response.in_progress', response: this.#base },
        ];
  }

  /** The response so far. */
  snapshot(status: 'queued' | 'in_progress'): OpenAiResponse {
    return { ...this.#base, status, output: [...this.#output] };
  }

  /** Ends a response whose turn ended without a terminal event. */
  fail(error: HearthError): Extract<ResponseEvent, { readonly response: OpenAiResponse }> {
    return this.#end(undefined, error);
  }

  record(event: TurnEvent): readonly ResponseEvent[] {
    switch (event.type) {
      case 'prompt.start':
        return this.#leaveQueue();
      case 'toolList.start':
        return [...this.#leaveQueue(), ...this.#openToolList(labelOf(event.provider))];
      case 'toolList.end':
        return this.#endToolList(labelOf(event.item.provider), event.item);
      case 'toolList.failure':
        return this.#endToolList(labelOf(event.provider), event.error);
      case 'message.start':
      case 'reasoning.start':
        return this.#openText(event.type === 'message.start' ? 'message' : 'reasoning');
      case 'message.delta': {
        const logprobs = event.logprobs ?? [];
        this.#logprobs.push(...logprobs);
        return [
          {
            type: 'response.output_text.delta',
            ...this.#openPart(),
            delta: event.text,
            logprobs: logprobs.map(toStreamLogprob),
          },
        ];
      }
      case 'reasoning.delta':
        return [{ type: 'response.reasoning_text.delta', ...this.#openPart(), delta: event.text }];
      case 'message.end':
      case 'reasoning.end':
        return this.#endText(event.type === 'message.end' ? 'message' : 'reasoning', event.text);
      case 'toolCall.start':
        return this.#openCall(event);
      case 'toolCall.delta':
        return this.#addArguments(event);
      case 'toolCall.approval':
        return this.#requestApproval(event);
      case 'toolCall.arguments':
        return isFileSearch(event.tool.provider)
          ? this.#startSearch(event.index, event.arguments)
          : this.#endArguments(event.index, JSON.stringify(event.arguments));
      case 'toolCall.end':
        return [
          ...this.#endArguments(event.index, event.item.argumentsJson),
          ...this.#endCall(event.index, event.item),
        ];
      case 'toolCall.success':
      case 'toolCall.failure':
        return this.#endCall(event.index, event.item);
      case 'turn.error':
        this.#failure = event.error;
        return [];
      case 'turn.end':
        return [this.#end(event.result, this.#failure)];
      default:
        return [];
    }
  }

  /** Changes a background response from queued to in progress when its generation begins. */
  #leaveQueue(): readonly ResponseEvent[] {
    if (!this.#base.background || this.#hasBegun) return [];
    this.#hasBegun = true;
    return [{ type: 'response.in_progress', response: this.snapshot('in_progress') }];
  }

  #openToolList(label: string): readonly ResponseEvent[] {
    const index = this.#output.length;
    const item: ToolList = {
      id: itemId(this.#base.id, 'mcp_list_tools', index),
      type: 'mcp_list_tools',
      server_label: label,
      tools: [],
      error: null,
    };
    this.#output.push(item);
    return [
      { type: 'response.output_item.added', output_index: index, item },
      { type: 'response.mcp_list_tools.in_progress', item_id: item.id, output_index: index },
    ];
  }

  #endToolList(label: string, outcome: ToolListItem | HearthError): readonly ResponseEvent[] {
    const index = this.#output.findIndex(
      (item) => item.type === 'mcp_list_tools' && item.server_label === label,
    );
    const begun = this.#output[index];
    if (begun?.type !== 'mcp_list_tools') return [];
    const hasFailed = outcome instanceof HearthError;
    const item = hasFailed
      ? { ...begun, error: outcome.message }
      : toOutputItem(this.#base.id, outcome, index);
    this.#output[index] = item;
    const type = `response.mcp_list_tools.${hasFailed ? 'failed' : 'completed'}` as const;
    return [
      { type, item_id: item.id, output_index: index },
      { type: 'response.output_item.done', output_index: index, item },
    ];
  }

  /** Completes the response at the end of its turn. */
  #end(
    result: TurnResult | undefined,
    failure: HearthError | undefined,
  ): Extract<ResponseEvent, { readonly response: OpenAiResponse }> {
    const status = statusOf(result, failure);
    const response: OpenAiResponse = {
      ...this.#base,
      status,
      completed_at: status === 'completed' ? Math.floor(this.#now() / 1000) : null,
      error: status === 'failed' ? { code: 'server_error', message: failure?.message ?? '' } : null,
      incomplete_details: status === 'incomplete' ? { reason: 'max_output_tokens' } : null,
      output: [...this.#output],
      ...omitUndefined({ dropped_turns: result?.droppedTurns }),
      ...(result === undefined ? {} : { usage: toUsage(result.usage) }),
    };
    // OpenAI's streams have no event type for canceled responses.
    const type = status === 'cancelled' ? 'incomplete' : status;
    return { type: `response.${type}`, response };
  }

  #openText(type: 'message' | 'reasoning'): readonly ResponseEvent[] {
    this.#logprobs = [];
    const index = this.#output.length;
    const complete = toOutputItem(this.#base.id, { type, text: '' }, index);
    const item = { ...complete, content: [], status: 'in_progress' } as OpenAiOutputItem;
    this.#output.push(item);
    const part =
      type === 'message' ? toOutputText('', []) : ({ type: 'reasoning_text', text: '' } as const);
    return [
      { type: 'response.output_item.added', output_index: index, item },
      { type: 'response.content_part.added', ...this.#openPart(), part },
    ];
  }

  #endText(type: 'message' | 'reasoning', text: string): readonly ResponseEvent[] {
    const at = this.#openPart();
    const logprobs = this.#logprobs;
    const passages = this.#passages;
    const item = toOutputItem(this.#base.id, { type, text }, at.output_index, {
      logprobs,
      passages,
    });
    this.#output[at.output_index] = item;
    const part =
      type === 'message'
        ? toOutputText(text, logprobs, passages)
        : ({ type: 'reasoning_text', text } as const);
    const citations = part.type === 'output_text' ? part.annotations : [];
    return [
      ...citations.map((annotation, index) => ({
        type: 'response.output_text.annotation.added' as const,
        ...at,
        annotation_index: index,
        annotation,
      })),
      type === 'message'
        ? {
            type: 'response.output_text.done',
            ...at,
            text,
            logprobs: logprobs.map(toStreamLogprob),
          }
        : { type: 'response.reasoning_text.done', ...at, text },
      { type: 'response.content_part.done', ...at, part },
      { type: 'response.output_item.done', output_index: at.output_index, item },
    ];
  }

  /** The open text part, which belongs to the newest item. */
  #openPart() {
    const index = this.#output.length - 1;
    return { item_id: this.#output[index]?.id ?? '', output_index: index, content_index: 0 };
  }

  #openCall(
    event: Extract<TurnEvent, { readonly type: 'toolCall.start' }>,
  ): readonly ResponseEvent[] {
    const index = this.#output.length;
    this.#callPositions.set(event.index, index);
    if (event.needsApproval === true) {
      this.#output.push(unfinishedRequest(event));
      return [];
    }
    if (isFileSearch(event.tool?.provider)) {
      const search: Call = {
        id: itemId(this.#base.id, 'file_search_call', index),
        type: 'file_search_call',
        status: 'in_progress',
        queries: [],
        results: null,
      };
      this.#output.push(search);
      return this.#announceCall(search, index);
    }
    const type = event.isForClient ? 'function_call' : 'mcp_call';
    const id = itemId(this.#base.id, type, index);
    const item: Call = event.isForClient
      ? this.#withNamespace({
          id,
          type: 'function_call',
          status: 'in_progress',
          call_id: '',
          name: event.exposedName,
          arguments: '',
        })
      : {
          id,
          type: 'mcp_call',
          status: 'in_progress',
          server_label: labelOf(event.tool?.provider),
          name: event.tool?.name ?? event.exposedName,
          arguments: '',
          output: null,
          error: null,
          approval_request_id: event.approvalRequestId ?? null,
        };
    this.#output.push(item);
    // The first delta of a client-side call contains its id, so the call is announced then.
    return event.isForClient ? [] : this.#announceCall(item, index);
  }

  #withNamespace<Item extends OpenAiOutputItem>(item: Item): Item {
    return withNamespace(item, this.#base.tools);
  }

  #announceCall(item: Call, index: number): readonly ResponseEvent[] {
    const added = { type: 'response.output_item.added', output_index: index, item } as const;
    if (item.type === 'function_call') return [added];
    return [
      added,
      { type: `response.${item.type}.in_progress`, item_id: item.id, output_index: index },
    ];
  }

  #addArguments({
    index,
    id,
    argumentsJson,
  }: Extract<TurnEvent, { readonly type: 'toolCall.delta' }>): readonly ResponseEvent[] {
    const position = this.#callPositions.get(index);
    const item = position === undefined ? undefined : this.#output[position];
    if (position === undefined || item === undefined) return [];
    if (item.type === 'mcp_approval_request' || item.type === 'file_search_call') return [];
    const events: ResponseEvent[] = [];
    if (item.type === 'function_call' && id !== undefined) {
      const named: Call = { ...item, call_id: id };
      this.#output[position] = named;
      events.push(...this.#announceCall(named, position));
    }
    if (argumentsJson === '') return events;
    const of = item.type === 'function_call' ? 'function_call' : 'mcp_call';
    const at = { item_id: item.id, output_index: position, delta: argumentsJson };
    return [...events, { type: `response.${of}_arguments.delta`, ...at }];
  }

  #startSearch(index: number, args: Readonly<Record<string, unknown>>): readonly ResponseEvent[] {
    const position = this.#callPositions.get(index);
    const item = position === undefined ? undefined : this.#output[position];
    if (position === undefined || item?.type !== 'file_search_call') return [];
    this.#output[position] = { ...item, status: 'searching', queries: queriesOf(args) };
    const at = { item_id: item.id, output_index: position };
    return [{ type: 'response.file_search_call.searching', ...at }];
  }

  #endArguments(index: number, argumentsJson: string): readonly ResponseEvent[] {
    const position = this.#callPositions.get(index);
    const item = position === undefined ? undefined : this.#output[position];
    if (position === undefined || item === undefined) return [];
    const at = { item_id: item.id, output_index: position, arguments: argumentsJson };
    if (item.type === 'function_call') {
      return [{ type: 'response.function_call_arguments.done', ...at, name: item.name }];
    }
    return [{ type: 'response.mcp_call_arguments.done', ...at }];
  }

  #requestApproval({
    index,
    item: request,
  }: Extract<TurnEvent, { readonly type: 'toolCall.approval' }>): readonly ResponseEvent[] {
    const position = this.#callPositions.get(index) ?? this.#output.length;
    const item = toOutputItem(this.#base.id, request, position);
    this.#output[position] = item;
    return [
      { type: 'response.output_item.added', output_index: position, item },
      { type: 'response.output_item.done', output_index: position, item },
    ];
  }

  #endCall(index: number, item: TurnItem): readonly ResponseEvent[] {
    const known = this.#callPositions.get(index);
    const position = known ?? this.#output.length;
    this.#passages.add(item);
    const includesResults = this.#includesResults;
    const output = toOutputItem(this.#base.id, item, position, { includesResults });
    const done = this.#withNamespace(output);
    // A call was not announced if it could not be parsed or would have needed an approval.
    const isAnnounced = known !== undefined && this.#output[known]?.type !== 'mcp_approval_request';
    const before = isAnnounced ? [] : this.#announceCall(done as Call, position);
    this.#output[position] = done;
    this.#callPositions.set(index, position);
    const end = { type: 'response.output_item.done', output_index: position, item: done } as const;
    if (done.type === 'file_search_call' && done.status === 'completed') {
      const at = { item_id: done.id, output_index: position };
      return [...before, { type: 'response.file_search_call.completed', ...at }, end];
    }
    if (done.type !== 'mcp_call') return [...before, end];
    const outcome = done.status === 'failed' ? 'failed' : 'completed';
    return [
      ...before,
      { type: `response.mcp_call.${outcome}`, item_id: done.id, output_index: position },
      end,
    ];
  }
}

/** The first form of a call that waits for an approval; the complete call replaces it. */
function unfinishedRequest({
  tool,
  exposedName,
}: Extract<TurnEvent, { readonly type: 'toolCall.start' }>): ApprovalRequest {
  const name = tool?.name ?? exposedName;
  const server_label = labelOf(tool?.provider);
  return { id: '', type: 'mcp_approval_request', server_label, name, arguments: '' };
}

function statusOf(result: TurnResult | undefined, failure: HearthError | undefined) {
  if (failure !== undefined) return failure.code === 'cancelled' ? 'cancelled' : 'failed';
  return isFull(result?.stopReason ?? null) ? 'incomplete' : 'completed';
}
