import { ProcessTransport, type ProcessTransportOptions } from './process-transport.ts';
import type { McpTransport } from './mcp-transport.ts';

/** A link to a plugin that runs as a child process. */
export function createProcessMcpTransport(options: ProcessTransportOptions): McpTransport {
  const transport = new ProcessTransport(options);
  return {
    transports: [() => transport],
    // The protocol hears of it when the process goes.
    broken: new Promise<never>(() => {}),
    failure: () => transport.failure,
    close: () => transport.close(),
  };
}
