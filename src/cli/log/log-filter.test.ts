import { expect, it } from 'vitest';
import { createLogFilter, parseLogLine, type LogFilterOptions } from './log-filter.ts';

const lines = [
  { level: 'info', msg: 'listening' },
  { level: 'debug', msg: 'request', requestId: 'p', path: '/health' },
  { level: 'info', msg: 'model loaded', instance: 'a/b' },
  { level: 'info', msg: 'prompt', requestId: 'r', model: 'a/b' },
  { level: 'info', msg: 'generated', requestId: 'r', model: 'a/b' },
  { level: 'info', msg: 'request', requestId: 'r' },
  { level: 'warn', msg: 'download failed' },
  { level: 'error', msg: 'request failed', requestId: 's' },
];

function shown(options: Partial<LogFilterOptions> = {}): readonly number[] {
  const isShown = createLogFilter({
    level: 'info',
    model: undefined,
    requestId: undefined,
    showsPrompts: false,
    ...options,
  });
  return [...lines.keys()].filter((index) => isShown(lines[index]));
}

it('hides polls and prompts', () => {
  expect(shown()).toEqual([0, 2, 4, 5, 6, 7]);
  expect(shown({ level: 'debug' })).toEqual([0, 1, 2, 4, 5, 6, 7]);
});

it('chooses by level, model and request', () => {
  expect(shown({ level: 'warn' })).toEqual([6, 7]);
  expect(shown({ level: 'error' })).toEqual([7]);
  expect(shown({ model: 'a/b' })).toEqual([2, 4, 5]);
  expect(shown({ model: 'a/b', showsPrompts: true })).toEqual([2, 3, 4, 5]);
  expect(shown({ requestId: 'r', showsPrompts: true })).toEqual([3, 4, 5]);
  expect(shown({ requestId: 'none' })).toEqual([]);
});

it('shows text of another origin unless the choice is about something', () => {
  const base = { level: 'info', showsPrompts: false } as const;
  const all = createLogFilter({ ...base, model: undefined, requestId: undefined });
  expect(all(parseLogLine('Segmentation fault'))).toBe(true);
  expect(all(parseLogLine('{"level":"info"'))).toBe(true);
  expect(createLogFilter({ ...base, model: 'a', requestId: undefined })(undefined)).toBe(false);
});
