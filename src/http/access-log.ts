import type { Context } from 'hono';
import type { Logger } from '../observability/logger.ts';
import type { AppEnvironment } from './app-environment.ts';

const maxPathLength = 256;

/** Logs a request after its response was sent, without query and body, which may be private. */
export function logAtEnd(
  logger: Logger,
  context: Context<AppEnvironment>,
  startedAtMs: number,
): void {
  const write = (isComplete: boolean): void => {
    const { method, path } = context.req;
    logger.info(
      {
        method,
        path: path.slice(0, maxPathLength),
        status: context.res.status,
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
