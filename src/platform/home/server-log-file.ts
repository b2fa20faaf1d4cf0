import { join } from 'node:path';

/** Where the background server logs; older files end in `.1` to `.3`. */
export function serverLogFile(home: string): string {
  return join(home, 'logs', 'server.log');
}
