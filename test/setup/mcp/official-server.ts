import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const { resolve } = createRequire(import.meta.url);

/** Path of an MCP server by the protocol's authors, such as `server-filesystem`. */
export function officialServer(name: 'server-everything' | 'server-filesystem'): string {
  return join(dirname(resolve(`@modelcontextprotocol/${name}/package.json`)), 'dist/index.js');
}
