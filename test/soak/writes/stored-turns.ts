import { expect } from 'vitest';
import { stream } from '../../setup/server/api.ts';
import {
  find,
  listAll,
  pick,
  remove,
  send,
  uploadFile,
  waitUntil,
  type WriteKind,
  type WrittenServer,
} from './write-kind.ts';

const chat = {
  model: 'hearth/starter-chat',
  reasoning: 'off',
  temperature: 0,
  max_output_tokens: 8,
};

async function outputOf(server: WrittenServer, id: string): Promise<unknown> {
  return (await find(server, `/api/v1/responses/${id}`))?.output;
}

/**
 * Whole and streamed turns, with and without a predecessor. A regenerated answer is a second turn with the same
 * predecessor.
 */
const turns: WriteKind = {
  name: 'turns',
  async write({ server, ledger, random, name: input }) {
    const previous = random() < 0.5 ? pick(random, ledger.keys()) : undefined;
    const request = {
      ...chat,
      input,
      ...(previous !== undefined && { previous_response_id: previous }),
    };
    if (random() < 0.5) {
      const body = await send(server, '/api/v1/chat', request);
      ledger.add(body.response_id, body.output);
      return;
    }
    const last = (
      await stream(server.url, '/api/v1/chat', request, { headers: server.headers })
    ).at(-1);
    const { result } = JSON.parse(last?.data ?? '{}');
    expect(last?.event, JSON.stringify(result)).toBe('chat.end');
    ledger.add(result.response_id, result.output);
  },
  read: outputOf,
  list: async (server) =>
    (await listAll(server, '/api/v1/responses', 'responses', 'after')).map(
      ({ input }) => input[0].content,
    ),
};

/** Turns that are deleted, together with later turns or without their history. */
const deletedTurns: WriteKind = {
  name: 'deleted turns',
  async write({ server, ledger, random, name: input }) {
    const first = await send(server, '/api/v1/chat', { ...chat, input });
    ledger.add(first.response_id, first.output);
    const next = await send(server, '/api/v1/chat', {
      ...chat,
      input: `After ${input}`,
      previous_response_id: first.response_id,
    });
    ledger.add(next.response_id, next.output);
    const query = random() < 0.5 ? '?keep_history=false' : '';
    await ledger.change(first.response_id, undefined, () =>
      remove(server, `/api/v1/responses/${first.response_id}${query}`),
    );
  },
  read: outputOf,
};

/** Answers whose text the user replaces. */
const editedAnswers: WriteKind = {
  name: 'edited answers',
  async write({ server, ledger, name: input }) {
    const { response_id: id, output } = await send(server, '/api/v1/chat', { ...chat, input });
    ledger.add(id, output);
    for (const content of [`Edited ${input}`, `Edited ${input} again`]) {
      await ledger.change(id, [{ type: 'message', content }], () =>
        send(server, `/api/v1/responses/${id}`, { output_text: content }, 'PATCH'),
      );
    }
  },
  read: outputOf,
};

/** Answers that reached their maximum length, and are continued. */
const continuedAnswers: WriteKind = {
  name: 'continued answers',
  async write({ server, ledger, name: input }) {
    const cut = await send(server, '/api/v1/chat', { ...chat, input, max_output_tokens: 2 });
    ledger.add(cut.response_id, cut.output);
    const path = `/api/v1/responses/${cut.response_id}/continue`;
    const whole = await send(server, path, { max_output_tokens: 6 });
    ledger.add(whole.response_id, whole.output);
  },
  read: outputOf,
};

const turnEnds = new Set(['completed', 'incomplete', 'failed']);
/** Turns that were killed before they began. The server forgets them after five minutes, since there is nothing to store. */
const failed = new Set<string>();

/** Answers that are written in the background. All must end, even if the kill interrupts them. */
const backgroundTurns: WriteKind = {
  name: 'background turns',
  async write({ server, ledger, name: input }) {
    const request = { model: chat.model, input, background: true, max_output_tokens: 40 };
    const { id } = await send(server, '/v1/responses', request);
    ledger.add(id, 'ended');
    await this.read(server, id);
  },
  read: async (server, id) => {
    const status = await waitUntil(
      async () => (await find(server, `/v1/responses/${id}`))?.status,
      (value) => value === undefined || turnEnds.has(value),
    );
    if (status === 'failed') failed.add(id);
    return (status !== undefined || failed.has(id)) && 'ended';
  },
  list: async (server) =>
    (await listAll(server, '/api/v1/responses', 'responses', 'after')).map(
      ({ input }) => input[0].content,
    ),
};

interface BatchLine {
  readonly custom_id: string;
}

/** Batches of chat completions. Each must end with exactly one answer per line. */
const batches: WriteKind = {
  name: 'batches',
  async write({ server, ledger, name }) {
    const lines = ['a', 'b', 'c'].map((end) => ({
      custom_id: `${name}-${end}`,
      method: 'POST',
      url: '/v1/chat/completions',
      body: { model: chat.model, max_tokens: 8, messages: [{ role: 'user', content: end }] },
    }));
    const text = lines.map((line) => JSON.stringify(line)).join('\n');
    const file = await uploadFile(server, `${name}.jsonl`, text);
    const batch = await send(server, '/v1/batches', {
      input_file_id: file,
      endpoint: '/v1/chat/completions',
      completion_window: '24h',
    });
    const answered = lines.map(({ custom_id: id }) => id);
    ledger.add(batch.id, answered);
    await this.read(server, batch.id);
  },
  read: async (server, id) => {
    const ends = new Set([undefined, 'completed', 'failed', 'expired']);
    const batch = await waitUntil(
      () => find(server, `/v1/batches/${id}`),
      (value) => ends.has(value?.status),
    );
    if (batch === undefined || batch.status !== 'completed') return batch?.status;
    const output = await find(server, `/v1/files/${batch.output_file_id}/content`);
    const lines = String(output).trimEnd().split('\n');
    return lines.map((line) => (JSON.parse(line) as BatchLine).custom_id).toSorted();
  },
};

export const turnKinds: readonly WriteKind[] = [
  turns,
  deletedTurns,
  editedAnswers,
  continuedAnswers,
  backgroundTurns,
  batches,
];
