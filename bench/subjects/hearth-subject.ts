import type { LoadConfig } from '../../src/api/v1/models/load-config-schema.ts';
import { loadResultSchema, v1ModelSchema } from '../../src/api/v1/models/model-schema.ts';
import { connectEngine, type EngineConnection } from '../../src/platform/net/engine-connection.ts';
import type { Endpoint } from '../client/endpoint.ts';
import { post } from '../client/post.ts';
import { streamRequest } from '../client/stream-request.ts';
import type { HearthProcess } from './hearth-process.ts';
import type { Conversation, Subject } from './subject.ts';

/** Model keys by purpose. */
export interface ModelKeys {
  readonly chat: string;
  readonly embeddings: string;
}

export interface HearthSubject extends Subject {
  readonly url: string;
  /** Configurations with which Hearth has loaded the models. */
  readonly configurations: {
    readonly chat: LoadConfig;
    readonly embeddings: LoadConfig;
  };
  readonly embeddings: Endpoint;
  readonly processes: { readonly enginePid: number; readonly frontPid: number };
}

export const maxConnections = 32;

/** Loads the models into a running Hearth. */
export async function createHearthSubject(
  hearth: HearthProcess,
  keys: ModelKeys,
  signal: AbortSignal,
): Promise<HearthSubject> {
  const connection = connectEngine({ address: { origin: hearth.url }, maxConnections });
  const endpoint = (path: string, model: string) => ({ connection, path, model });
  const load = async (model: string): Promise<LoadConfig> => {
    const body = await post(
      endpoint('/api/v1/models/load', model),
      { echo_load_config: true },
      signal,
    );
    const { load_config: config } = loadResultSchema.parse(body);
    if (config === undefined) throw new Error(`Hearth does not say how it loaded ${model}`);
    return config;
  };
  return {
    name: 'Hearth',
    url: hearth.url,
    configurations: { chat: await load(keys.chat), embeddings: await load(keys.embeddings) },
    chat: endpoint('/api/v0/chat/completions', keys.chat),
    embeddings: endpoint('/api/v0/embeddings', keys.embeddings),
    modelLists: { v0: endpoint('/api/v0/models', ''), v1: endpoint('/api/v1/models', '') },
    processes: { enginePid: await hearth.enginePid(keys.chat), frontPid: hearth.pid },
    converse: (systemPrompt, maxTokens, until) =>
      storedConversation(connection, keys.chat, systemPrompt, maxTokens, until),
    close: async () => {
      await connection.close();
      await hearth.stop();
    },
  };
}

/** The type of a model, as Hearth reports it. */
export async function kindOf(
  connection: EngineConnection,
  key: string,
  signal: AbortSignal,
): Promise<keyof ModelKeys> {
  const reply = await connection.getJson(`/api/v1/models/${key}`, signal);
  return v1ModelSchema.parse(reply.body).type === 'embedding' ? 'embeddings' : 'chat';
}

/** A conversation that v1 stores: each turn names the response that it continues. */
function storedConversation(
  connection: EngineConnection,
  model: string,
  systemPrompt: string,
  maxTokens: number,
  signal: AbortSignal,
  first?: string,
): Conversation {
  let previousResponseId = first;
  return {
    say: async (text) => {
      const body = {
        input: text,
        temperature: 0,
        max_output_tokens: maxTokens,
        ...(previousResponseId === undefined
          ? { system_prompt: systemPrompt }
          : { previous_response_id: previousResponseId }),
      };
      const path = '/api/v1/chat';
      const answer = await streamRequest({ connection, path, model }, body, signal);
      previousResponseId = /"response_id":"([^"]+)"/.exec(answer.text())?.[1];
      return answer.firstTokenMs;
    },
    branch: () =>
      storedConversation(connection, model, systemPrompt, maxTokens, signal, previousResponseId),
    reload: async () => {
      const unload = { connection, path: '/api/v1/models/unload', model };
      await post(unload, { instance_id: model, model: undefined }, signal);
      await post({ connection, path: '/api/v1/models/load', model }, {}, signal);
      return storedConversation(
        connection,
        model,
        systemPrompt,
        maxTokens,
        signal,
        previousResponseId,
      );
    },
  };
}
