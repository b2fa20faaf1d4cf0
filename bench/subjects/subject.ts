import type { Endpoint } from '../client/endpoint.ts';

/** A conversation that grows by one turn after the other. */
export interface Conversation {
  /** Says something and gives the time to the first token of the answer. */
  say(text: string): Promise<number>;
  /** The conversation as it is now, to be continued in another way. */
  branch(): Conversation;
  /** A branch in an engine that has read nothing: the first turn of it finds what the server has saved. */
  reload(): Promise<Conversation>;
}

/** A server behind a process of Node.js that only forwards. */
export interface PipedServer {
  readonly chat: Endpoint;
  /** Of the process in front. */
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
  /** Streams chat completions in OpenAI's form. */
  readonly chat: Endpoint;
  /** Absent if it serves no embedding model. */
  readonly embeddings: Endpoint | undefined;
  /** Lists of models, as v0 and v1 of Hearth have them, or twice the only one. */
  readonly modelLists: { readonly v0: Endpoint; readonly v1: Endpoint };
  /** Absent if its processes are not ours to look at. */
  readonly processes:
    | {
        /** The process that runs the chat model. */
        readonly enginePid: number;
        /** The process in front of it, if any. */
        readonly frontPid: number | undefined;
      }
    | undefined;
  /**
   * Puts a process in front of it that only forwards; absent if its processes are not ours to look
   * at.
   */
  readonly startPipe?: () => Promise<PipedServer>;
  /**
   * Puts a Hearth in front of it that has it as its upstream; absent for servers that the bench did
   * not start.
   */
  readonly startRemote?: () => Promise<RemoteFront>;
  /** @param systemPrompt Begins the conversation; a new one shares no prefix with earlier ones. */
  converse(systemPrompt: string, maxTokens: number, signal: AbortSignal): Conversation;
  close(): Promise<void>;
}
