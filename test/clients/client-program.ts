import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { endlessModel, placeEndlessModel } from '../setup/models/endless-model.ts';
import { instancesOf } from '../setup/server/instances.ts';
import { useHearth } from '../setup/server/use-hearth.ts';

/** Values that every client in another language must see on a path, for every API. */
const expected = {
  models: expect.arrayContaining([expect.stringMatching(/^hearth\/starter-chat(:latest)?$/)]),
  'shown model': {
    family: 'llama',
    capabilities: expect.arrayContaining(['completion', 'tools', 'thinking']),
  },
  chat: { text: expect.stringContaining('Paris'), tokens: expect.any(Number) },
  stream: { text: expect.stringContaining('Paris'), tokens: expect.any(Number) },
  tools: {
    name: 'get_tide',
    arguments: { harbour: 'Brest' },
    text: expect.stringContaining('high'),
  },
  'structured output': { answer: expect.any(Number) },
  embeddings: [128, 128],
  responses: {
    streamed: expect.stringContaining('Paris'),
    text: expect.stringContaining('Paris'),
  },
  'counted tokens': expect.any(Array),
  abort: true,
} as const;

interface ClientProgram {
  /** Name of the client in its tests' names. */
  readonly name: string;
  /** A file that `scripts/install-clients.sh` builds; without it, the tests are skipped. */
  readonly builtFile: string;
  /** Program to run; defaults to `builtFile`. */
  readonly program?: string;
  readonly commandLine: readonly string[];
  /** The program's paths in any order, except that `abort` comes last. */
  readonly paths: readonly (keyof typeof expected)[];
  /**
   * Expected fields of the errors for an unknown model, a temperature out of range (which not all clients can send),
   * and a text longer than the context.
   */
  readonly errors: readonly object[];
}

interface Seen {
  readonly path: string;
  readonly result?: unknown;
  readonly failure?: string;
}

/**
 * Runs a program in another language. For each path, the program prints a line of JSON with what the client received;
 * each line is a test.
 */
export function testClientProgram(client: ClientProgram): void {
  const { name, builtFile, program = builtFile, commandLine, paths, errors } = client;
  const isInstalled = existsSync(builtFile);
  if (!isInstalled) console.error(`SKIPPED: ${name}; scripts/install-clients.sh says why.`);
  describe.skipIf(!isInstalled)(`the client ${name}`, () => {
    const hearth = useHearth(async (home) => {
      await placeEndlessModel(home);
      return { flags: ['--engine-context-length', '65536'] };
    });
    const seen = new Map<string, Seen>();

    beforeAll(async () => {
      const child = spawn(program, commandLine, {
        env: { ...process.env, HEARTH_URL: hearth.url },
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      try {
        for await (const line of createInterface({ input: child.stdout })) {
          const result = JSON.parse(line) as Seen;
          seen.set(result.path, result);
          if (result.path !== 'abort') continue;
          // The program is still running, so its end can't be what stops the generation.
          await vi.waitUntil(
            async () => (await instancesOf(hearth.url)).get(endlessModel)?.active_requests === 0,
            { timeout: 30_000 },
          );
          child.stdin.end();
        }
      } finally {
        child.kill('SIGKILL');
      }
    });

    it.each(paths)('%s', (path) => {
      expect(seen.get(path)).toMatchObject({ path, result: expected[path] });
    });

    it.runIf(paths.includes('stream'))('streams the same text and count', () => {
      expect(seen.get('stream')?.result).toEqual(seen.get('chat')?.result);
    });

    it('errors with a long context', () => {
      expect(seen.get('errors with a long context')).toMatchObject({ result: errors });
    });
  });
}
