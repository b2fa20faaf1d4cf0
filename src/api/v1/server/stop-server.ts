import { HearthError } from '../../../kernel/errors/errors.ts';
import { stopServer } from './status-schema.ts';
import { mount, type App } from '../../kit/mount.ts';
import type { ApiServices } from '../../services.ts';

/** The request by which `hearth server stop` stops the server, as Windows has no signal for it. */
export function mountStopServer(app: App, { server }: Pick<ApiServices, 'server'>): void {
  mount(app, stopServer, async ({ context: { caller, logger } }) => {
    if (caller.identity?.type !== 'owner') {
      throw new HearthError(
        'forbidden',
        'Only the owner of the home folder may stop the server, with `hearth server stop` on its machine.',
      );
    }
    logger.info('the owner stops the server');
    server.stop();
    return { pid: server.pid, stopping: true as const };
  });
}
