import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { projectFolder } from '../project-folder.ts';

export interface MotoServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Installed by `scripts/install-clients.sh object-storage`. */
const program = join(projectFolder, '.cache/clients/object-storage/bin/moto_server');

/** Starts moto, which simulates AWS's APIs, on a free port of loopback. */
export async function startMotoServer(): Promise<MotoServer> {
  const child = spawn(program, ['--host', '127.0.0.1', '--port', '0'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stderr });
  for await (const line of lines) {
    const url = /Running on (http:\S+)/.exec(line)?.[1];
    if (url === undefined) continue;
    // The log that follows must not fill the pipe.
    child.stderr.resume();
    return {
      url,
      close: async () => {
        child.kill();
        await exited;
      },
    };
  }
  throw new Error('moto_server ended before it listened');
}
