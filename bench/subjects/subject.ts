import type { Endpoint } from '../client/endpoint.ts';

/** A conversation that grows turn by turn. */
export interface Conversation {
  /** Sends a message; returns the time to the first token of the answer. */
  say(text: string): Promise<number>;
  /** A copy of the conversation, which can be continued differently. */
  branch(): Conversation;
  /** A copy of the conversation in a newly started engine: its first turn only finds what the server has saved. */
  reload(): Promise<Conversation>;
}

/** A server behind a Node.js process that only forwards bytes. */
export interface PipedServer {
  readonly chat: Endpoint;
  /** Id of the forwarding process. */
  readonly pid: number;
  close(): Promise<void>;
}

/** A Hearth that has a server as its upstream. */
export interface RemoteFront extends Pick<Subject, 'chat' | 'processes'> {
  close(): Promise<void>;
}

/** A server that is measured. */
export interface Subject {
  readonly name: string;
  /** Endpoint that streams chat completions in OpenAI's format. */
  readonly chat: Endpoint;
  /** Absent if the server has no embedding model. */
  readonly embeddings: Endpoint | undefined;
  /** Lists of models in Hearth's v0 and v1; other servers have only one, which is used twice. */
  readonly modelLists: { readonly v0: Endpoint; readonly v1: Endpoint };
  /** Absent if the bench can't inspect the server's processes. */
  readonly processes:
    | {
        /** The process that runs the chat model. */
        readonly enginePid: number;
        /** The process in front of the engine, if any. */
        readonly frontPid: number | undefined;
      }
    | undefined;
  /**
   * Starts a process in front of the server that only forwards bytes; absent if the bench can't inspect the server's
   * processes.
   */
  readonly startPipe?: () => Promise<PipedServer>;
  /** Starts a Hearth that has this server as its upstream; absent if the bench did not start the server. */
  readonly startRemote?: () => Promise<RemoteFront>;
  /** @param systemPrompt First message of the conversation. A new one shares no prefix with earlier conversations. */
  converse(systemPrompt: string, maxTokens: number, signal: AbortSignal): Conversation;
  close(): Promise<void>;
}
