import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';
import { createLogger } from '../../telemetry/logger.ts';
import { listDevices } from './list-devices.ts';
import type { Runtime } from './runtime.ts';

async function listOf(script: string, name = 'llama.cpp-linux-x64-cuda') {
  const command = join(await temporaryFolder(), 'llama-server');
  await writeFile(command, `#!/bin/sh\n${script}\n`);
  await chmod(command, 0o755);
  const runtime: Runtime = {
    name,
    version: 'b1',
    supportedFormats: ['gguf'],
    source: 'path',
    command,
    leadingArguments: ['first'],
  };
  const lines: string[] = [];
  const devices = await listDevices({
    runtimes: { resolve: async () => runtime },
    environment: {},
    logger: createLogger('warn', { write: (line) => void lines.push(line) }),
  });
  return { devices, lines };
}

const script = `[ "$*" = 'first --list-devices' ] && echo '  CUDA0: NVIDIA A (100 MiB, 90 MiB free)'`;

describe.skipIf(process.platform === 'win32')('listDevices', () => {
  it('asks the runtime', async () => {
    expect((await listOf(script)).devices).toMatchObject([{ id: 'CUDA0' }]);
  });

  it('does not ask a build for the processor', async () => {
    expect((await listOf(script, 'llama.cpp-linux-x64-cpu')).devices).toEqual([]);
  });

  it.each(['exit 1', 'kill -9 $$', 'echo nonsense'])('finds none if it runs: %s', async (text) => {
    expect((await listOf(text)).devices).toEqual([]);
  });

  it('finds none without a runtime, and logs why it cannot ask', async () => {
    const lines: string[] = [];
    const logger = createLogger('warn', { write: (line) => void lines.push(line) });
    const options = { environment: {}, logger };
    const none = { resolve: async () => undefined };
    expect(await listDevices({ ...options, runtimes: none })).toEqual([]);
    expect(lines).toEqual([]);
    const failing = {
      resolve: async () => {
        throw new Error('no folder');
      },
    };
    expect(await listDevices({ ...options, runtimes: failing })).toEqual([]);
    expect(lines).toEqual([expect.stringContaining('no folder')]);
  });
});
