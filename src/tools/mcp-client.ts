/** Connects to tool servers. Loaded with the first tool server, since the import is slow. */
export { createHttpTransport } from './http-transport.ts';
export { createProcessMcpTransport } from './process-transport.ts';
export { connectServer } from './server-connection.ts';
