import type { RequestContext } from '../request/request-context.ts';
import type { AnsweredCall } from './approved-calls.ts';
import { callOfNoTool, checkArguments, refuseCall, type CheckedCall } from './tool-call.ts';
import { runToolRound, type CallOutcome } from './tool-round.ts';
import type { TurnEvent } from './turn-event.ts';
import type { TurnRecorder } from './turn-recorder.ts';
import type { TurnTools } from './turn-tools.ts';

interface ApprovedCallsRun {
  readonly calls: readonly AnsweredCall[];
  readonly tools: TurnTools;
  readonly recorder: TurnRecorder;
  readonly context: RequestContext;
  /** Most calls of the turn; undefined: no limit. */
  readonly maxToolCalls: number | undefined;
  /** Called with the calls that are about to be made. */
  readonly use: (calls: readonly AnsweredCall[]) => Promise<void>;
  /** Limits a result; `count` results remain, including this one. */
  readonly fit: (outcome: CallOutcome, count: number) => Promise<CallOutcome>;
}

/**
 * Makes the calls that the client has approved.
 *
 * @returns the number of calls that were made.
 * @throws the signal's reason when aborted; what `use` throws.
 */
export async function* runApprovedCalls(run: ApprovedCallsRun): AsyncGenerator<TurnEvent, number> {
  const { tools, recorder, context, maxToolCalls = Infinity, use, fit } = run;
  const approved = run.calls.filter(({ isApproved }) => isApproved);
  const first = recorder.reserveCalls(approved.length);
  const made: AnsweredCall[] = [];
  const checked = approved.map((call): CheckedCall => {
    const each = check(call, tools);
    if (each.type !== 'valid') return each;
    if (made.length >= maxToolCalls) {
      return refuseCall(each, 0, `The limit of ${maxToolCalls} tool calls is reached.`);
    }
    made.push(call);
    return each;
  });
  await use(made);
  for (const [position, call] of approved.entries()) {
    const each = checked[position];
    if (each !== undefined) yield* startEvents(call, each, first + position);
  }
  let position = 0;
  for await (const outcome of runToolRound(checked, 0, context)) {
    const fitted = await fit(outcome, approved.length - position);
    const answered = withRequest(fitted, approved[position]?.requestId ?? '');
    yield* recorder.recordOutcome(answered, first + position);
    position += 1;
  }
  return made.length;
}

function startEvents(
  { written, provider, tool: name, requestId }: AnsweredCall,
  checked: CheckedCall,
  index: number,
): readonly TurnEvent[] {
  const tool = { name, provider };
  const { name: exposedName } = written;
  const start: TurnEvent = {
    type: 'toolCall.start',
    index,
    exposedName,
    tool,
    isForClient: false,
    approvalRequestId: requestId,
  };
  if (checked.type !== 'valid') return [start];
  return [start, { type: 'toolCall.arguments', index, tool, arguments: checked.arguments }];
}

function withRequest({ item, content }: CallOutcome, approvalRequestId: string): CallOutcome {
  if (item.type !== 'toolCall' && item.type !== 'invalidToolCall') return { item, content };
  return { item: { ...item, approvalRequestId }, content };
}

/** The tool may have changed since the model called it. */
function check({ written, tool: name, provider }: AnsweredCall, tools: TurnTools) {
  const tool = tools.findOnServer(provider, name);
  return tool === undefined ? callOfNoTool(written, 0, tools) : checkArguments(written, 0, tool);
}
