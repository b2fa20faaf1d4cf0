/** What connects to tool servers. Imported with the first one that is used, since the import is slow. */
export { createHttpTransport } from './http-transport.ts';
export { createProcessMcpTransport } from './process-transport.ts';
export { connectServer } from './server-connection.ts';
