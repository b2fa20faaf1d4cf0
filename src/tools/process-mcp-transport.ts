import { ProcessTransport, type ProcessTransportOptions } from './process-transport.ts';
import type { McpTransport } from './mcp-transport.ts';

/** Connects to a plugin that runs as a child process. */
export function createProcessMcpTransport(
  options: ProcessTransportOptions,
): McpTransport & { readonly ended: Promise<void> } {
  const transport = new ProcessTransport(options);
  return {
    transports: [() => transport],
    // The protocol client notices itself that the process has exited.
    broken: new Promise<never>(() => {}),
    failure: () => transport.failure,
    /** Settles when the process has exited, could not be started, or is closed without having been started. */
    ended: transport.ended,
    close: () => transport.close(),
  };
}
