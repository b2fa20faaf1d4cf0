import { setTimeout as delay } from 'node:timers/promises';
import { HearthError } from '../kernel/errors/errors.ts';
import { randomBytes } from 'node:crypto';
import type { ToolApprovalRepository } from '../store/tool-approval-repository.ts';
import type { ToolProvider } from '../store/turns/content.ts';
import { decideCall, hintsOf } from '../tools/call-policy.ts';
import type { Tool } from '../tools/toolbox.ts';
import { storeFailure } from './store-turn.ts';
import { refuseCall, type CheckedCall } from './tool-call.ts';
import type { TurnEvent } from './turn-event.ts';
import type { RequestContext } from '../kernel/request/request-context.ts';
import type { ApproveCalls, CallRound } from './turn-request.ts';

/** The user's answer to a waiting call. */
export interface CallAnswer {
  readonly isApproved: boolean;
  /** The calls of the tool to which it applies: this one, all of the conversation, or all. */
  readonly scope: 'once' | 'conversation' | 'always';
  /** Shown to the model if the call is denied. */
  readonly reason?: string;
}

interface WaitingCallsOptions {
  readonly approvals: ToolApprovalRepository;
}

/** Time after which an unanswered call is refused. */
const timeoutSeconds = 600;

type ValidCall = Extract<CheckedCall, { readonly type: 'valid' }>;

/** A waiting call of a round. */
interface Waiting {
  readonly id: string;
  /** Position of the call in the round. */
  readonly position: number;
  readonly call: ValidCall;
}

/** Maximum waiting calls per generation; a user would not read more. */
const maxWaiting = 50;
/** Maximum stored approvals per owner. */
const maxKept = 1000;
/** Interval between two reads of the answers, which other processes may receive. */
const pollMs = 200;
/** Time within which a turn takes its answer; if it takes longer, its process has ended. */
const takeMs = 5000;

/** Lets tool calls wait until their user approves them. The turn holds no slot while it waits. */
export class WaitingCalls {
  readonly #options: WaitingCallsOptions;

  constructor(options: WaitingCallsOptions) {
    this.#options = options;
  }

  /**
   * Creates the function that decides about a turn's calls.
   *
   * @param mayAsk False if the client can't see the question; calls that need an approval are then refused.
   */
  gate(mayAsk: boolean): ApproveCalls {
    return (calls, round) => this.#approve(calls, round, mayAsk);
  }

  /**
   * Answers a call. If the answer applies to all calls of the tool, stores it first.
   *
   * @throws HearthError `tool_approval_not_found`; `conflict` if the call no longer waits, or the caller has stored too
   *   many answers; `invalid_value` for `always` and a tool that belongs to no plugin; the signal's reason when aborted.
   */
  async answer(
    id: string,
    answer: CallAnswer,
    { caller: { tokenId: callerId }, signal }: RequestContext,
  ): Promise<void> {
    const { approvals } = this.#options;
    const call = await approvals.findCall(id, callerId);
    if (call === undefined) throw notFound(id);
    const { pluginId, tool } = call;
    if (answer.scope === 'always' && pluginId === null) {
      throw new HearthError(
        'invalid_value',
        'Only choices for tools of plugins are kept: a request can name another server by the same label.',
        { param: 'scope' },
      );
    }
    // Stored before the call runs, so that the next turn does not ask again.
    if (answer.scope === 'always' && pluginId !== null) {
      await this.keep(callerId, { pluginId, tool, isApproved: answer.isApproved });
    }
    if (!(await approvals.answerCall(id, JSON.stringify(answer)))) throw notWaiting(id);
    for (let waitedMs = 0; !(await approvals.isTaken(id)); waitedMs += pollMs) {
      if (waitedMs >= takeMs) throw notWaiting(id);
      await pause(signal);
    }
  }

  /**
   * Stores an approval for all calls of a plugin's tool.
   *
   * @throws HearthError `conflict` if the caller has too many.
   */
  async keep(
    callerId: string | null,
    approval: Parameters<ToolApprovalRepository['keep']>[1],
  ): Promise<void> {
    if (await this.#options.approvals.keep(callerId, approval, maxKept)) return;
    throw new HearthError(
      'conflict',
      `Choices for ${maxKept} tools are kept, which is the limit. Remove one of them first.`,
    );
  }

  async *#approve(
    calls: readonly CheckedCall[],
    round: CallRound,
    mayAsk: boolean,
  ): AsyncGenerator<TurnEvent, readonly CheckedCall[]> {
    if (calls.every(({ type }) => type !== 'valid')) return calls;
    const { tokenId } = round.context.caller;
    const kept = (await this.#options.approvals.list(tokenId)).map(({ pluginId, ...choice }) => ({
      ...choice,
      provider: { type: 'plugin' as const, pluginId },
    }));
    const choices = [...kept, ...round.recorder.toolChoices];
    const decided = [...calls];
    const waiting = new Map<string, Waiting>();
    for (const [position, call] of calls.entries()) {
      if (call.type !== 'valid') continue;
      const { tool } = call;
      const chosen = choices.filter((choice) => isFor(choice, tool));
      const decision = decideCall(
        tool,
        chosen.map(({ isApproved }) => isApproved),
      );
      if (decision === 'run') continue;
      if (decision === 'ask' && mayAsk && waiting.size < maxWaiting) {
        const id = newCallId();
        waiting.set(id, { id, position, call });
        continue;
      }
      const reason = decision === 'refuse' ? notAllowed(tool) : notAsked(tool, mayAsk);
      decided[position] = deny(call, round, reason);
    }
    if (waiting.size > 0) yield* this.#wait(waiting, decided, round);
    return decided;
  }

  /** Waits for the answers, and replaces the refused calls in `decided`. */
  async *#wait(
    waiting: Map<string, Waiting>,
    decided: CheckedCall[],
    round: CallRound,
  ): AsyncGenerator<TurnEvent> {
    const { approvals } = this.#options;
    const { caller, signal, logger } = round.context;
    const timeoutMs = timeoutSeconds * 1000;
    const endMs = Date.now() + timeoutMs;
    const rows = [...waiting.values()].map(({ id, call: { tool } }) => ({
      id,
      ownerId: caller.tokenId,
      pluginId: tool.provider.type === 'plugin' ? tool.provider.pluginId : null,
      tool: tool.name,
    }));
    try {
      await approvals.addCalls(rows, new Date());
    } catch (error) {
      throw storeFailure('A tool call could not wait for its approval', error);
    }
    const settle = (each: Waiting, answer: CallAnswer): TurnEvent => {
      waiting.delete(each.id);
      const { call, position, id } = each;
      if (!answer.isApproved) decided[position] = deny(call, round, answer.reason ?? '');
      const { isApproved } = answer;
      return { type: 'toolCall.approvalEnd', index: round.callIndex(position), id, isApproved };
    };
    let isOver = false;
    const timer = setTimeout(() => {
      isOver = true;
    }, timeoutMs).unref();
    try {
      for (const each of waiting.values()) yield question(each, round, endMs);
      let isLate = false;
      while (waiting.size > 0) {
        // The last read finds answers that arrived just before the end.
        if (isLate) await approvals.endCalls([...waiting.keys()]);
        const answers = await approvals.takeAnswers([...waiting.keys()]);
        for (const [id, text] of answers) {
          const each = waiting.get(id);
          if (each === undefined) continue;
          const answer = toAnswer(JSON.parse(text) as CallAnswer);
          yield settle(each, answer);
          if (answer.scope === 'once') continue;
          const { tool } = each.call;
          const choice = {
            provider: tool.provider,
            tool: tool.name,
            isApproved: answer.isApproved,
          };
          const equal = [...waiting.values()].filter(({ call }) => isFor(choice, call.tool));
          await approvals.endCalls(equal.map((other) => other.id));
          for (const other of equal) yield settle(other, answer);
          if (answer.scope === 'conversation') round.recorder.chooseTool(choice);
        }
        if (isLate) break;
        if (waiting.size > 0) await pause(signal);
        isLate = isOver;
      }
      const reason = `The user did not approve the call within ${timeoutSeconds} s.`;
      for (const each of waiting.values()) {
        yield settle(each, { isApproved: false, scope: 'once', reason });
      }
    } finally {
      clearTimeout(timer);
      const left = [...waiting.keys()];
      if (left.length > 0) {
        await approvals
          .endCalls(left)
          .catch((err: unknown) => logger.warn({ err }, 'waiting tool calls not ended'));
      }
    }
  }
}

/** @throws the signal's reason when aborted. */
async function pause(signal: AbortSignal): Promise<void> {
  await delay(pollMs, undefined, { signal }).catch(() => {});
  signal.throwIfAborted();
}

function question({ id, position, call }: Waiting, round: CallRound, endMs: number): TurnEvent {
  const { name, provider } = call.tool;
  return {
    type: 'toolCall.approvalStart',
    index: round.callIndex(position),
    id,
    tool: { name, provider },
    arguments: call.arguments,
    hints: hintsOf(call.tool),
    expiresAt: new Date(endMs).toISOString(),
  };
}

function toAnswer({ reason, ...answer }: CallAnswer): CallAnswer {
  const said = reason === undefined ? '' : ` The user says: ${reason}`;
  return { ...answer, reason: `The user did not allow this call.${said}` };
}

function deny(call: ValidCall, { round }: CallRound, reason: string): CheckedCall {
  const { item, ...refused } = refuseCall(call, round, reason);
  return { ...refused, item: { ...item, isDenied: true } };
}

function notAllowed({ name }: Tool): string {
  return `The user does not allow calls of ${name}.`;
}

function notAsked({ name }: Tool, mayAsk: boolean): string {
  const problem = mayAsk
    ? `at most ${maxWaiting} calls can wait for it`
    : 'the user can be asked only in a stream';
  return `A call of ${name} needs the approval of the user: ${problem}.`;
}

function isFor(
  choice: { readonly provider: ToolProvider; readonly tool: string },
  { name, provider }: Pick<Tool, 'name' | 'provider'>,
): boolean {
  return choice.tool === name && providerKey(choice.provider) === providerKey(provider);
}

function providerKey(provider: ToolProvider): string {
  return provider.type === 'plugin'
    ? `plugin ${provider.pluginId}`
    : `ephemeral ${provider.serverLabel}`;
}

function newCallId(): string {
  return `call_${randomBytes(24).toString('hex')}`;
}

function notFound(id: string): HearthError {
  return new HearthError(
    'tool_approval_not_found',
    `No tool call ${JSON.stringify(id)} waits for an approval.`,
    {
      param: 'call_id',
    },
  );
}

function notWaiting(id: string): HearthError {
  return new HearthError(
    'conflict',
    `The tool call "${id}" does not wait any more: it was answered before, or its response has ended.`,
    { param: 'call_id' },
  );
}
