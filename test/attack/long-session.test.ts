import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import {
  messageEventSchema,
  type AnthropicMessageEvent,
} from '../../src/api/anthropic/message-schema.ts';
import { residentBytes } from '../../src/engines/launch/memory-watch.ts';
import { writeScriptedEngine } from '../setup/engine/scripted-engine.ts';
import type { ScriptedGeneration } from '../setup/engine/scripted-llama-server.ts';
import { stream } from '../setup/server/api.ts';
import { useHearth } from '../setup/server/use-hearth.ts';

/**
 * Turns of a coding agent's session; each turn sends the whole conversation. The first turn is recorded, with headers,
 * instructions and tools; in the following turns, the model reads one file after the other. `HEARTH_SESSION_TURNS=200
 * npx vitest run --project e2e test/attack/long-session.test.ts` reaches 30,000 tokens.
 */
const turns = Number(process.env['HEARTH_SESSION_TURNS'] ?? 25);
const sessions = 3;
/** V8 collects its old generation after about this much growth. */
const garbageBytes = 32 * 1024 * 1024;
/** About 150 tokens. */
const fileContent = 'The tide comes in and goes out again. '.repeat(15);

interface Recording {
  readonly headers: Readonly<Record<string, string>>;
  readonly requests: readonly { readonly name: string; readonly body?: object }[];
}

const { headers, requests } = JSON.parse(
  await readFile(new URL('../fixtures/anthropic-agent-start.json', import.meta.url), 'utf8'),
) as Recording;
const firstTurn = requests.find(({ name }) => name === 'the first turn')?.body;

const hearth = useHearth(async (home) => ({
  flags: [
    `--engine-llama-server=${await writeScriptedEngine(home, 65_536)}`,
    '--models-aliases={"claude-*": "hearth/starter-chat"}',
  ],
}));

it('keeps no memory for the sessions of an agent', async () => {
  const script: readonly ScriptedGeneration[] = [
    { calls: [['Read', '{"file_path": "/tide.txt"}']] },
  ];
  const afterSessions: number[] = [];
  for (let session = 0; session < sessions; session += 1) {
    const messages: object[] = [
      { role: 'user', content: `Session ${session}: ${JSON.stringify(script)}` },
    ];
    for (let turn = 0; turn < turns; turn += 1) {
      const body = { ...firstTurn, messages };
      const sent = await stream(hearth.url, '/v1/messages?beta=true', body, { headers });
      const call = callOf(sent.map(({ data }) => messageEventSchema.parse(JSON.parse(data))));
      const result = { type: 'tool_result', tool_use_id: call.id, content: fileContent };
      messages.push({ role: 'assistant', content: [call] }, { role: 'user', content: [result] });
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

/** The call at the end of a stream, in the form in which the agent sends it back. */
function callOf(events: readonly AnthropicMessageEvent[]) {
  const ended = events.find((event) => event.type === 'message_delta');
  expect(ended?.delta.stop_reason).toBe('tool_use');
  const [block] = events.flatMap((event) =>
    event.type === 'content_block_start' && event.content_block.type === 'tool_use'
      ? [event.content_block]
      : [],
  );
  const json = events.map((event) =>
    event.type === 'content_block_delta' && event.delta.type === 'input_json_delta'
      ? event.delta.partial_json
      : '',
  );
  if (block === undefined) throw new Error('The stream has no call.');
  return { type: 'tool_use', id: block.id, name: block.name, input: JSON.parse(json.join('')) };
}
