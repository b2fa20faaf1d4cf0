import { describe, expect, it } from 'vitest';
import { createLogger } from './logger.ts';
import { createTextLog } from './text-log.ts';

function setUp(level: 'debug' | 'info' = 'info', hasColors = false) {
  let text = '';
  const destination = createTextLog({
    write: (part) => {
      text += part;
    },
    hasColors,
  });
  const logger = createLogger(level, destination);
  return { logger, lines: () => text.trimEnd().split('\n') };
}

const request = { method: 'POST', path: '/api/v1/chat', status: 200, durationMs: 3412.5 };
const generated = {
  operation: 'chat',
  model: 'local/smollm2',
  promptTokens: 31,
  completionTokens: 1120,
  tokensPerSecond: 16.2,
};

describe('createTextLog', () => {
  it('joins a request with what it generated', () => {
    const { logger, lines } = setUp();
    const first = logger.child({ requestId: 'a' });
    const second = logger.child({ requestId: 'b' });
    first.info(generated, 'generated');
    second.info({ ...request, method: 'GET', path: '/api/v1/models', durationMs: 4 }, 'request');
    first.info(request, 'request');
    expect(lines()).toEqual([
      expect.stringMatching(/^\d\d:\d\d:\d\d GET \/api\/v1\/models 200 4 ms$/),
      expect.stringMatching(
        /^\d\d:\d\d:\d\d chat local\/smollm2 200 3\.4 s, 31 → 1,120 tokens, 16 tok\/s$/,
      ),
    ]);
  });

  it('leaves out what is not known', () => {
    const { logger, lines } = setUp();
    const { operation, model, promptTokens } = { ...generated, operation: 'embedding' };
    const child = logger.child({ requestId: 'a' });
    child.info({ operation, model, promptTokens }, 'generated');
    child.info({ ...request, aborted: true }, 'request');
    expect(lines()[0]).toMatch(/ embedding local\/smollm2 cancelled after 3\.4 s, 31 tokens$/);
  });

  it('shows the local time', () => {
    const { logger, lines } = setUp();
    const before = new Date();
    logger.info('listening');
    const [hours, minutes] = (lines()[0] ?? '').split(':').map(Number);
    const shown = new Date(before);
    shown.setHours(hours ?? 0, minutes, 0, 0);
    expect(Math.abs(shown.getTime() - before.getTime())).toBeLessThan(120_000);
  });

  it('shows the fields of other events, and levels from warning on', () => {
    const { logger, lines } = setUp();
    logger.info({ instance: 'a/b', loadTimeSeconds: 0.25178, pid: 12 }, 'model loaded');
    logger.warn({ err: new Error('No room.') }, 'model not loaded');
    logger.error({ err: new Error('Broken.') }, 'request failed');
    expect(lines()[0]).toMatch(/ model loaded \(instance=a\/b, loadTimeSeconds=0\.252, pid=12\)$/);
    expect(lines()[1]).toMatch(/^\d\d:\d\d:\d\d warning: model not loaded: No room\.$/);
    expect(lines()[2]).toMatch(/^\d\d:\d\d:\d\d error: request failed$/);
    expect(lines()[3]).toBe('Error: Broken.');
    expect(lines()[4]).toMatch(/^ {4}at /);
  });

  it('shows prompt and output of a generation in lines of their own', () => {
    const { logger, lines } = setUp();
    const texts = { prompt: '<user>\nHi\u001b[2J', output: 'Hello', stopReason: 'eosFound' };
    logger.child({ requestId: 'a' }).info({ model: 'x/y', ...texts }, 'prompt');
    expect(lines()).toEqual([
      expect.stringMatching(/^\d\d:\d\d:\d\d prompt for x\/y \(request a\)$/),
      '  | <user>',
      '  | Hi[2J',
      'output (eosFound)',
      '  | Hello',
    ]);
  });

  it('removes control characters', () => {
    const { logger, lines } = setUp();
    logger.info({ ...request, path: '/\u001b[2J' }, 'request');
    expect(lines()[0]).toMatch(/ POST \/\[2J 200 3\.4 s$/);
  });

  it('uses colors only if asked to', () => {
    const { logger, lines } = setUp('info', true);
    logger.warn('careful');
    expect(lines()[0]?.replaceAll('\u001b', '^')).toMatch(
      /^\^\[2m\d\d:\d\d:\d\d\^\[0m \^\[33mwarning:\^\[0m careful$/,
    );
  });
});
