import { expect, it } from 'vitest';
import { residentBytes } from '../../src/engine/launch/resident-bytes.ts';
import { writeScriptedEngine } from '../setup/engine/scripted-engine.ts';
import type { ScriptedGeneration } from '../setup/engine/scripted-llama-server.ts';
import { post } from '../setup/server/api.ts';
import { useHearth } from '../setup/server/use-hearth.ts';

/**
 * Turns of a session of a coding agent, which sends its whole conversation with each of them.
 * `HEARTH_SESSION_TURNS=200 npx vitest run --project e2e test/attack/long-session.test.ts` reaches 30,000 tokens.
 */
const turns = Number(process.env['HEARTH_SESSION_TURNS'] ?? 25);
const sessions = 3;
/** V8 collects its old generation when it has grown by about this much. */
const garbageBytes = 32 * 1024 * 1024;
/** About 150 tokens. */
const fileContent = 'The tide comes in and goes out again. '.repeat(15);

const hearth = useHearth(async (home) => ({
  flags: [`--engine-llama-server=${await writeScriptedEngine(home, 65_536)}`],
}));

it('keeps no memory for the sessions of an agent', async () => {
  const script: readonly ScriptedGeneration[] = [
    { calls: [['read_file', '{"path": "tide.txt"}']] },
  ];
  const tools = [{ name: 'read_file', input_schema: { type: 'object' } }];
  const afterSessions: number[] = [];
  for (let session = 0; session < sessions; session += 1) {
    const messages: object[] = [
      { role: 'user', content: `Session ${session}: ${JSON.stringify(script)}` },
    ];
    for (let turn = 0; turn < turns; turn += 1) {
      const { status, body } = await post(hearth.url, '/v1/messages', {
        model: 'hearth/starter-chat',
        max_tokens: 64,
        system: 'You are an agent. '.repeat(50),
        tools,
        messages,
      });
      expect({ status, stop: body.stop_reason }).toEqual({ status: 200, stop: 'tool_use' });
      const call = body.content.at(-1);
      messages.push(
        { role: 'assistant', content: body.content },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: call.id, content: fileContent }],
        },
      );
    }
    afterSessions.push((await residentBytes(hearth.pid)) ?? 0);
  }
  // The first session fills caches and the heap.
  const grown = (afterSessions.at(-1) ?? 0) - (afterSessions[0] ?? 0);
  console.log(
    `${turns} turns: ${afterSessions.map((bytes) => Math.round(bytes / 2 ** 20)).join(', ')} MiB`,
  );
  expect(grown).toBeLessThan(garbageBytes);
}, 300_000);
