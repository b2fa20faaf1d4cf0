import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { projectFolder } from '../project-folder.ts';

const probe = join(projectFolder, 'test/setup/server/event-loop-probe.mjs');
const portFile = (home: string): string => join(home, 'event-loop-probe');

/** Environment for a server whose event loop can be measured with `eventLoopHeldMs`. */
export function measuredEventLoop(home: string): Record<string, string> {
  return {
    NODE_OPTIONS: `--import=${pathToFileURL(probe).href}`,
    EVENT_LOOP_PROBE: portFile(home),
  };
}

/** The longest time for which the event loop of a server was blocked since the last call. */
export async function eventLoopHeldMs(home: string): Promise<number> {
  const port = Number(await readFile(portFile(home), 'utf8'));
  return Number(await text(connect(port, '127.0.0.1')));
}
