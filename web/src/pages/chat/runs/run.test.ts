import { expect, it } from 'vitest';
import type { ChatEvent } from '../../../../../src/api/v1/chat/chat-event-schema.ts';
import { applyEvent, type Run } from './run.ts';

const start: Run = {
  key: '1',
  responseId: undefined,
  conversationId: undefined,
  previousId: null,
  model: 'test/model',
  input: [{ type: 'text', content: 'Hi' }],
  phase: { kind: 'sending' },
  items: [],
  error: undefined,
  isCancelled: false,
  result: undefined,
  startedAt: 0,
  settingsKey: '1',
  reasoningSeconds: [],
};
const after = (...events: readonly ChatEvent[]) =>
  events.reduce((run, event) => applyEvent(run, event), start);
const provider_info = { type: 'plugin' as const, plugin_id: 'mcp/files' };

it('collects reasoning and text', () => {
  const { items, phase } = after(
    { type: 'reasoning.start' },
    { type: 'reasoning.delta', content: 'Let me ' },
    { type: 'reasoning.delta', content: 'think' },
    { type: 'reasoning.end' },
    { type: 'message.start' },
    { type: 'message.delta', content: 'Hello' },
  );
  expect(items).toEqual([
    { type: 'reasoning', content: 'Let me think' },
    { type: 'message', content: 'Hello' },
  ]);
  expect(phase).toEqual({ kind: 'writing' });
});

it('shows loads, the queue and the prompt on the way', () => {
  const model_instance_id = 'test/model';
  expect(after({ type: 'queued', position: 2 }).phase).toEqual({ kind: 'queued', position: 2 });
  expect(after({ type: 'model_load.progress', model_instance_id, progress: 0.4 }).phase).toEqual({
    kind: 'loading',
    progress: 0.4,
  });
  expect(after({ type: 'prompt_processing.progress', progress: 0.5 }).phase).toEqual({
    kind: 'prompt',
    progress: 0.5,
  });
});

it('replaces a call by its result, and by its failure', () => {
  const call = { tool: 'read', provider_info };
  const running = after(
    { type: 'tool_call.start', ...call },
    { type: 'tool_call.arguments', ...call, arguments: { path: 'a' } },
  );
  expect(running.items).toEqual([
    { type: 'running_tool_call', tool: 'read', arguments: { path: 'a' } },
  ]);
  const done = applyEvent(running, {
    type: 'tool_call.success',
    ...call,
    arguments: { path: 'a' },
    output: 'text',
  });
  expect(done.items).toMatchObject([{ type: 'tool_call', tool: 'read', output: 'text' }]);
  const failed = applyEvent(running, {
    type: 'tool_call.failure',
    reason: 'no',
    metadata: { tool_name: 'read' },
  });
  expect(failed.items).toMatchObject([{ type: 'invalid_tool_call', reason: 'no' }]);
});

it('shows the question of a call until it is answered', () => {
  const question = (id: string, path: string): ChatEvent => ({
    type: 'tool_call.approval_required',
    call_id: id,
    tool: 'write',
    arguments: { path },
    annotations: {},
    expires_at: '2026-02-03T10:20:30.000Z',
    provider_info,
  });
  const call = { tool: 'write', provider_info };
  const asking = after(
    { type: 'tool_call.start', ...call },
    { type: 'tool_call.arguments', ...call, arguments: { path: 'a' } },
    { type: 'tool_call.start', ...call },
    { type: 'tool_call.arguments', ...call, arguments: { path: 'b' } },
    question('1', 'a'),
    question('2', 'b'),
  );
  expect(asking.items).toMatchObject([
    { arguments: { path: 'a' }, question: { call_id: '1' } },
    { arguments: { path: 'b' }, question: { call_id: '2' } },
  ]);
  const answered = applyEvent(asking, {
    type: 'tool_call.approval_resolved',
    call_id: '1',
    approved: true,
  });
  expect(answered.items[0]).not.toHaveProperty('question');
  expect(answered.items[1]).toHaveProperty('question');
  const done = { ...call, arguments: { path: 'a' }, output: '[]' };
  const { items } = applyEvent(answered, { type: 'tool_call.success', ...done });
  expect(items).toMatchObject([{ type: 'tool_call' }, { question: { call_id: '2' } }]);
});

it('keeps a cancellation apart from an error', () => {
  const error = { type: 'x', message: 'stopped' };
  expect(after({ type: 'error', error: { ...error, code: 'cancelled' } })).toMatchObject({
    isCancelled: true,
    error: undefined,
  });
  expect(after({ type: 'error', error })).toMatchObject({ isCancelled: false, error: 'stopped' });
});

it('measures each block of reasoning, except for replayed events', () => {
  const timed: readonly (readonly [ChatEvent, number])[] = [
    [{ type: 'reasoning.start' }, 1000],
    [{ type: 'reasoning.delta', content: 'Hm' }, 3000],
    [{ type: 'reasoning.end' }, 5000],
    [{ type: 'message.start' }, 9000],
    [{ type: 'reasoning.start' }, 10_000],
    [{ type: 'reasoning.end' }, 10_500],
  ];
  const live = timed.reduce((run, [event, atMs]) => applyEvent(run, event, atMs), start);
  expect(live.reasoningSeconds).toEqual([4, 0.5]);
  expect(after(...timed.map(([event]) => event)).reasoningSeconds).toEqual([]);
});

it('shows a continued answer until its events repeat it', () => {
  const written = { type: 'message', content: 'One' } as const;
  const continued: Run = { ...start, items: [written], isRepeated: true };
  const loading = applyEvent(continued, { type: 'model_load.start', model_instance_id: 'a' });
  expect(loading.items).toEqual([written]);
  const events: readonly ChatEvent[] = [
    { type: 'message.start' },
    { type: 'message.delta', content: 'One' },
    { type: 'message.delta', content: ' two' },
  ];
  const run = events.reduce((now, event) => applyEvent(now, event), loading);
  expect(run.items).toEqual([{ type: 'message', content: 'One two' }]);
});
