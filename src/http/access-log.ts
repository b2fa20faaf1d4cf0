import type { Context } from 'hono';
import type { Logger } from '../observability/logger.ts';
import type { AppEnvironment } from './app-environment.ts';

const maxPathLength = 256;

/** Requests that programs repeat to watch the server; they would hide the others. */
const pollPaths =
  /^\/(?:health|ready|api\/v1\/status|api\/v1\/models\/download(?:s|\/status\/[^/]+))$/;

/** Logs a request after its response was sent, without query and body, which may be private. Polls that succeed are logged as `debug`. */
export function logAtEnd(
  logger: Logger,
  context: Context<AppEnvironment>,
  startedAtMs: number,
): void {
  const write = (isComplete: boolean): void => {
    const { method, path } = context.req;
    const { status } = context.res;
    const isPoll = method === 'GET' && status < 400 && pollPaths.test(path);
    logger[isPoll ? 'debug' : 'info'](
      {
        method,
        path: path.slice(0, maxPathLength),
        status,
        durationMs: Math.round((performance.now() - startedAtMs) * 10) / 10,
        ...(isComplete ? {} : { aborted: true }),
      },
      'request',
    );
  };
  const { running } = context.env;
  if (running === undefined) write(true);
  else running.onEnd(({ isComplete }) => write(isComplete));
}
