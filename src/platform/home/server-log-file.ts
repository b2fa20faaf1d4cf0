import { join } from 'node:path';

/** The log file of a background server; older files end in `.1` to `.3`. */
export function serverLogFile(home: string): string {
  return join(home, 'logs', 'server.log');
}
