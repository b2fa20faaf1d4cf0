import { post } from '../setup/server/api.ts';
import { openStream } from '../setup/server/live-stream.ts';
import { seededRandom, testSeed } from '../setup/seeded-random.ts';
import type { Ledger } from './ledger.ts';

interface ClientsOptions {
  readonly count: number;
  readonly model: string;
  readonly ledger: Ledger;
  /** Returns the server for the next request; waits until there is one. */
  readonly server: () => Promise<string>;
}

export interface ChatClients {
  readonly answered: number;
  /** Failed requests by error code; `disconnected` if the connection broke. */
  readonly failed: ReadonlyMap<string, number>;
  /** Stops after the running requests. @throws An unexpected failure of a client. */
  stop(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly id: string | undefined;
  readonly output?: unknown;
  readonly error: string | undefined;
}

/** Clients that chat without pause, whole and streamed, continue their conversations and delete some responses. */
export function startChatClients({ count, model, ledger, server }: ClientsOptions): ChatClients {
  const failed = new Map<string, number>();
  const stopping = new AbortController();
  let answered = 0;
  const fail = (code: string): void => void failed.set(code, (failed.get(code) ?? 0) + 1);

  async function runClient(random: () => number): Promise<void> {
    let last: string | undefined;
    while (!stopping.signal.aborted) {
      const url = await server();
      try {
        if (last !== undefined && random() < 0.1) {
          const id = last;
          last = undefined;
          ledger.beginDeletion(id);
          const response = await fetch(`${url}/api/v1/responses/${id}`, { method: 'DELETE' });
          await response.text();
          if (response.status === 200) ledger.addDeleted(id);
          else fail(`delete ${response.status}`);
          continue;
        }
        const previous: string | undefined = random() < 0.5 ? last : undefined;
        const { status, id, output, error } = await askOnce(url, random, previous);
        if (id !== undefined) {
          ledger.addStored(id, output);
          last = id;
          answered += 1;
        }
        if (error !== undefined) fail(error);
        if (status === 404) throw new Error(`The acknowledged response ${previous} is unknown.`);
      } catch (error) {
        if (!(error instanceof TypeError || isAbort(error))) throw error;
        fail('disconnected');
      }
    }
  }

  function askOnce(
    url: string,
    random: () => number,
    previous: string | undefined,
  ): Promise<Answer> {
    const max_output_tokens = 8 + Math.floor(random() * 56);
    const input = `Hello ${Math.floor(random() * 1000)}!`;
    const kind = random();
    const chat = {
      model,
      input,
      reasoning: 'off',
      max_output_tokens,
      ...(previous === undefined ? {} : { previous_response_id: previous }),
    };
    if (kind < 0.4) return askWhole(url, chat);
    if (kind < 0.8) return askStreamed(url, chat);
    const { reasoning: _, ...response } = chat;
    return askOpenAi(url, { ...response, max_output_tokens: Math.max(16, max_output_tokens) });
  }

  const clients = Array.from({ length: count }, (_, index) =>
    runClient(seededRandom(testSeed + index)),
  );
  const all = Promise.all(clients);
  // `stop` throws the failure.
  all.catch(() => {});
  return {
    get answered() {
      return answered;
    },
    failed,
    stop: async () => {
      stopping.abort();
      await all;
    },
  };
}

async function askWhole(url: string, chat: object): Promise<Answer> {
  const { status, body } = await post(url, '/api/v1/chat', chat);
  return { status, id: body.response_id, output: body.output, error: body.error?.code };
}

/** Streams an answer. `chat.end` acknowledges it, even if the connection breaks afterwards. */
async function askStreamed(url: string, chat: Readonly<Record<string, unknown>>): Promise<Answer> {
  const live = await openStream(url, '/api/v1/chat', chat).catch((error: unknown) => {
    const code = /"code":"(\w+)"/.exec(String(error))?.[1];
    if (code === undefined) throw error;
    return code;
  });
  if (typeof live === 'string') {
    return { status: 0, id: undefined, error: live };
  }
  let error: string | undefined;
  for (;;) {
    const event = await live.next();
    if (event === undefined) return { status: 200, id: undefined, error: error ?? 'cut' };
    const data = JSON.parse(event.data);
    if (data.type === 'error') error = data.error.code;
    if (data.type !== 'chat.end') continue;
    const { response_id: id, output } = data.result;
    await live.rest().catch(() => []);
    return { status: 200, id, output, error };
  }
}

async function askOpenAi(url: string, request: object): Promise<Answer> {
  const { status, body } = await post(url, '/v1/responses', request);
  return { status, id: status === 200 ? body.id : undefined, error: body.error?.code };
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && (error.name === 'AbortError' || error.message === 'terminated');
}
