import { ProcessTransport, type ProcessTransportOptions } from './process-transport.ts';
import type { ServerLink } from './server-link.ts';

/** A link to a plugin that runs as a child process. */
export function createProcessLink(options: ProcessTransportOptions): ServerLink {
  const transport = new ProcessTransport(options);
  return {
    transports: [() => transport],
    // The protocol hears of it when the process goes.
    broken: new Promise<never>(() => {}),
    failure: () => transport.failure,
    close: () => transport.close(),
  };
}
