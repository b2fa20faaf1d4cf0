import type { Context } from 'hono';
import type { Logger } from '../../kernel/logger.ts';
import type { AppEnvironment } from './app-environment.ts';

/** Requests that programs repeat to watch the server; they would hide the others. */
const pollPaths =
  /^\/(?:health|ready|metrics|api\/v1\/(?:status|events|logs|requests(?:\/[^/]+)?|models\/download(?:s|\/status\/[^/]+)))$/;

/** Whether a program sends the request only to watch the server. */
export function isPoll(method: string, path: string): boolean {
  return method === 'GET' && pollPaths.test(path);
}

/**
 * Ends the record of a request and logs it after its response was sent, without query and body, which may be private.
 * Polls that succeed are logged as `debug`.
 */
export function reportAtEnd(logger: Logger, context: Context<AppEnvironment>): void {
  const record = context.get('record');
  const write = (isComplete: boolean): void => {
    const { status } = context.res;
    record.finish(status, isComplete);
    const { method, path, failure } = record;
    logger[record.isPoll && status < 400 ? 'debug' : 'info'](
      {
        method,
        path,
        status,
        durationMs: Math.round((record.durationSeconds ?? 0) * 10_000) / 10,
        ...(failure === undefined ? {} : { code: failure.code }),
        ...(isComplete ? {} : { aborted: true }),
      },
      'request',
    );
  };
  const { running } = context.env;
  if (running === undefined) write(true);
  else running.onEnd(({ isComplete }) => write(isComplete));
}
