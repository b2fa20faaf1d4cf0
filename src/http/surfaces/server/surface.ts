import { getHealth, getReadiness } from '../../../contract/server/server.ts';
import { omitUndefined } from '../../../omit-undefined.ts';
import { createHearthErrorSerializer } from '../../errors/hearth-error-serializer.ts';
import { toSnakeCase } from '../../errors/snake-case.ts';
import { mount } from '../../mount.ts';
import type { Surface } from '../../surface.ts';

interface ServerSurfaceOptions {
  readonly homeId?: string | undefined;
  /** Throws if the store does not respond. */
  readonly ping: () => Promise<void>;
}

export const serverErrors = createHearthErrorSerializer(toSnakeCase);

/** The endpoints about the server itself, and the error format of paths that belong to no other surface. */
export function createServerSurface({ homeId, ping }: ServerSurfaceOptions): Surface {
  return {
    name: 'server',
    description: 'State of the server itself; never requires a token.',
    prefixes: ['/'],
    errorSerializer: serverErrors,
    mountRoutes: (app) => {
      mount(app, getHealth, async () => ({
        status: 'ok',
        ...omitUndefined({ home_id: homeId }),
      }));
      // While the server stops, a guard responds with `shutting_down`.
      mount(app, getReadiness, async () => {
        await ping();
        return { status: 'ready' };
      });
    },
  };
}
