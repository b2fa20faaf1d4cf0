import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import type { ScriptedGeneration } from '../setup/engine/scripted-llama-server.ts';
import { writeScriptedEngine } from '../setup/engine/scripted-engine.ts';
import { post } from '../setup/server/api.ts';
import { expectError } from '../setup/server/expect-error.ts';
import { useHearth } from '../setup/server/use-hearth.ts';

const hearth = useHearth(async (home) => {
  const program = await writeScriptedEngine(home);
  return {
    flags: [
      `--engine-llama-server=${program}`,
      '--models-memory-limit-bytes=300000000',
      '--engine-parallel=3',
      // All three requests run at the same time.
      '--engine-cache-contexts=3',
    ],
  };
});

const chat = (script: readonly ScriptedGeneration[]) =>
  post(hearth.url, '/api/v1/chat', {
    model: 'hearth/starter-chat',
    input: JSON.stringify(script),
    store: false,
  });

it('ends an engine that takes too much memory, and repeats the requests of others', async () => {
  const files = ['one', 'two'].map((name) => join(hearth.home, name));
  const others = files.map((waitsOnce) => chat([{ waitsOnce, text: 'Hello!' }]));
  for (const file of files) {
    await vi.waitFor(() => access(file), { timeout: 20_000, interval: 20 });
  }
  const greedy = chat([{ isGrowing: true }]);
  expectError(await greedy, {
    code: 'memory_exceeded',
    message: /the memory guard ended it, as it took .* and at most .* are allowed/,
  });
  for (const { status, body } of await Promise.all(others)) {
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body.output).toEqual([{ type: 'message', content: 'Hello!' }]);
  }
});
