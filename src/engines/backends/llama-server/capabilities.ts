import * as z from 'zod';
import { HearthError } from '../../../kernel/errors/errors.ts';
import type { EngineConnection } from '../../../platform/net/engine-connection.ts';
import type { EngineCapabilities } from '../../engine.ts';
import type { Runtime } from '../../runtimes/runtime.ts';
import { replyFailure } from './engine-failure.ts';

const propsBody = z.object({
  default_generation_settings: z.object({ n_ctx: z.number() }),
  build_info: z.string().optional(),
});

/** Reads the capabilities of a running engine from `/props`. */
export async function requestCapabilities(
  connection: EngineConnection,
  runtime: Pick<Runtime, 'name' | 'version' | 'supportedFormats'>,
  signal: AbortSignal,
): Promise<EngineCapabilities> {
  const reply = await connection.getJson('/props', signal);
  if (reply.status !== 200) throw replyFailure(reply);
  const parsed = propsBody.safeParse(reply.body);
  if (!parsed.success) {
    throw new HearthError('internal', 'The engine does not describe itself.', {
      cause: parsed.error,
    });
  }
  const { data } = parsed;
  return {
    runtimeName: runtime.name,
    runtimeVersion: buildNumber(data.build_info) ?? runtime.version,
    supportedFormats: runtime.supportedFormats,
    contextLength: data.default_generation_settings.n_ctx,
  };
}

/** Returns `b11549` for `b11549-1a2b3c4`; undefined for `b0`, since the wheel's server is built without a number. */
function buildNumber(buildInfo: string | undefined): string | undefined {
  return buildInfo === undefined ? undefined : /^b[1-9]\d*/u.exec(buildInfo)?.[0];
}
