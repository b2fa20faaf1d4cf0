import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { chatEventSchema } from '../../src/api/v1/chat/chat-event-schema.ts';
import { writeScriptedEngine } from '../setup/engine/scripted-engine.ts';
import { addHarbour } from '../setup/mcp/harbour.ts';
import { officialServer } from '../setup/mcp/official-server.ts';
import { post } from '../setup/server/api.ts';
import { expectError } from '../setup/server/expect-error.ts';
import { fastTimers } from '../setup/server/fast-timers.ts';
import { openStream } from '../setup/server/live-stream.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { useTemporaryFolder } from '../setup/temporary-folder.ts';

const folder = useTemporaryFolder();
let headers: Readonly<Record<string, string>>;

const hearth = useHearth(async (home) => {
  const place = await addHarbour(home, {
    files: { command: process.execPath, args: [officialServer('server-filesystem'), folder.path] },
  });
  headers = await place.bearer('chat', 'plugins');
  return {
    flags: ['--mcp-allow-plugins', `--engine-llama-server=${await writeScriptedEngine(home)}`],
    environment: await fastTimers(home),
  };
});

it('refuses a tool call that its user did not approve in time', async () => {
  await writeFile(join(folder.path, 'note.txt'), 'Milk');
  const path = join(folder.path, 'late');
  const call = ['write_file', JSON.stringify({ path, content: 'Eggs' })];
  const stream = await openStream(
    hearth.url,
    '/api/v1/chat',
    {
      model: 'hearth/starter-chat',
      input: JSON.stringify([{ calls: [call] }, { text: 'Done.' }]),
      integrations: ['mcp/files'],
      tool_approvals: true,
    },
    { headers },
  );
  const question = await stream.until('tool_call.approval_required');
  const { call_id: id } = JSON.parse(question.data) as { readonly call_id: string };
  const events = (await stream.rest()).map(({ data }) => chatEventSchema.parse(JSON.parse(data)));
  expect(events.at(-1)).toMatchObject({
    type: 'chat.end',
    result: {
      output: [
        {
          reason: 'The user did not approve the call within 600 s.',
          metadata: { is_denied: true },
        },
        { type: 'message', content: 'Done.' },
      ],
    },
  });
  expectError(
    await post(hearth.url, `/api/v1/tool-calls/${id}/approval`, { approved: true }, { headers }),
    { code: 'conflict', message: /does not wait any more/, param: 'call_id' },
  );
  await expect(readFile(path)).rejects.toThrow('ENOENT');
});
