import { getHealth, getReadiness } from '../../../contract/server/server.ts';
import { omitUndefined } from '../../../omit-undefined.ts';
import { mount, type App } from '../../mount.ts';

interface ServerSurfaceOptions {
  readonly version: string;
  readonly homeId?: string | undefined;
  /** Throws where the store does not answer. */
  readonly ping: () => Promise<void>;
}

/** The endpoints about the server itself. While it stops, the guards answer for it. */
export function mountServer(app: App, { version, homeId, ping }: ServerSurfaceOptions): void {
  mount(app, getHealth, async () => ({
    status: 'ok',
    ...omitUndefined({ home_id: homeId }),
  }));
  mount(app, getReadiness, async () => {
    await ping();
    return { status: 'ready' };
  });
  app.get('/', (context) =>
    context.text(`Hearth ${version}\nReference of the API: /docs and /openapi.json\n`),
  );
}
