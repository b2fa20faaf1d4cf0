import {
  Client,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SseError,
} from '@modelcontextprotocol/client';
import type { Logger } from '../kernel/logger.ts';
import { version } from '../kernel/version.ts';
import { HttpFailure } from '../platform/net/http-failure.ts';
import type { McpTransport } from './mcp-transport.ts';
import { ServerUnusableError } from './mcp-transport.ts';
import type { CallOptions, ToolResult } from './toolbox.ts';
import { callResultSchema, toolFailure, toToolResult } from './tool-content.ts';
import { listTools, ToolListError, type ToolList, unlimitedMs } from './tool-list.ts';
import { TimeoutError, withTimeout } from '../kernel/concurrency/with-timeout.ts';

export interface ConnectionLimits {
  /** Time limit for connecting, and again for listing the tools. */
  readonly connectTimeoutMs: number;
  readonly callTimeoutMs: number;
}

/** An initialized connection to one tool server. */
export interface ServerConnection {
  /** The latest list of tools from the server. */
  list(): ToolList;
  /** Calls a tool. A failure is a result with `isError` that explains it; rejects only with the signal's reason. */
  call(
    name: string,
    args: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
    options?: CallOptions,
  ): Promise<ToolResult>;
  close(): Promise<void>;
}

const maxRelists = 20;
const maxReasonCharacters = 500;
const maxLoggedCharacters = 500;
/** With these statuses the server rejects the caller, so another transport would not help. */
const refusesCaller: ReadonlySet<number> = new Set([401, 403, 407, 408, 429]);

/**
 * Connects and lists the tools. The client declares no capabilities, so it answers requests for sampling, elicitation
 * or roots with "method not found". If it fails, it closes the transport.
 *
 * @throws ServerUnusableError; the signal's reason when aborted.
 */
export async function connectServer(
  link: McpTransport,
  limits: ConnectionLimits,
  logger: Logger,
  signal: AbortSignal,
): Promise<ServerConnection> {
  const unusable = (error: unknown, act: string): ServerUnusableError => {
    const cause = link.failure() ?? error;
    const seconds = limits.connectTimeoutMs / 1000;
    const reason =
      error instanceof TimeoutError ? `it did not ${act} in ${seconds} s` : describeFailure(cause);
    return new ServerUnusableError(reason, { cause });
  };
  let act = 'connect';
  try {
    const client = await withTimeout(limits.connectTimeoutMs, signal, (inner) =>
      Promise.race([link.broken, initialize(link, logger, inner)]),
    );
    act = 'list its tools';
    const list = (): Promise<ToolList> =>
      withTimeout(limits.connectTimeoutMs, signal, (inner) =>
        Promise.race([link.broken, listTools(client, inner)]),
      );
    return watched(client, await list(), list, { link, limits, logger });
  } catch (error) {
    const failure = signal.aborted ? signal.reason : unusable(error, act);
    await link.close();
    throw failure;
  }
}

async function initialize(
  link: McpTransport,
  logger: Logger,
  signal: AbortSignal,
): Promise<Client> {
  let refusal: unknown;
  for (const openTransport of link.transports) {
    const client = new Client({ name: 'hearth', version }, { capabilities: {} });
    // The client has no addEventListener.
    // oxlint-disable-next-line unicorn/prefer-add-event-listener
    client.onerror = ({ message }) =>
      logger.debug(
        { reason: message.slice(0, maxLoggedCharacters) },
        'tool server violates the protocol',
      );
    try {
      await client.connect(openTransport(), { signal, timeout: unlimitedMs });
      return client;
    } catch (error) {
      const status = statusOf(error) ?? 0;
      if (refusesCaller.has(status)) throw error;
      refusal ??= error;
      if (status < 400 || status >= 500) throw refusal;
    }
  }
  throw refusal;
}

interface WatchedOptions {
  readonly link: McpTransport;
  readonly limits: ConnectionLimits;
  readonly logger: Logger;
}

/** Keeps the list of tools current: lists them again whenever the server announces a change. */
function watched(
  client: Client,
  firstList: ToolList,
  list: () => Promise<ToolList>,
  { link, limits, logger }: WatchedOptions,
): ServerConnection {
  let current = firstList;
  let relists = 0;
  let isStale = false;
  let relisting: Promise<void> | undefined;

  async function relist(): Promise<void> {
    while (isStale && relists < maxRelists) {
      isStale = false;
      relists += 1;
      try {
        current = await list();
      } catch (error) {
        logger.warn({ reason: describeFailure(error) }, 'changed list of tools not read');
      }
    }
    relisting = undefined;
  }
  client.setNotificationHandler('notifications/tools/list_changed', () => {
    isStale = true;
    relisting ??= relist();
  });

  /**
   * Waits for a pending list. The wait is limited to the time of one request, even if the server keeps announcing
   * changes.
   */
  async function relisted(signal: AbortSignal): Promise<void> {
    const reading = relisting;
    if (reading === undefined) return;
    try {
      await withTimeout(limits.connectTimeoutMs, signal, () => reading);
    } catch (error) {
      if (!(error instanceof TimeoutError)) throw error;
    }
  }

  function failed(error: unknown): ToolResult {
    if (error instanceof TimeoutError) {
      const seconds = limits.callTimeoutMs / 1000;
      return toolFailure(`The tool gave no result in ${seconds} s; the call was cancelled.`);
    }
    if (error instanceof ProtocolError) {
      return toolFailure(`The call failed: ${describeFailure(error)}`);
    }
    return toolFailure(`The tool server failed: ${describeFailure(link.failure() ?? error)}`);
  }

  return {
    list: () => current,
    call: async (name, args, signal, { traceparent } = {}) => {
      try {
        const answer = await withTimeout(limits.callTimeoutMs, signal, (inner) =>
          Promise.race([
            link.broken,
            client.request(
              {
                method: 'tools/call',
                params: {
                  name,
                  arguments: { ...args },
                  ...(traceparent === undefined ? {} : { _meta: { traceparent } }),
                },
              },
              callResultSchema,
              { signal: inner, timeout: unlimitedMs },
            ),
          ]),
        );
        // The call may have changed the list of tools.
        await relisted(signal);
        return toToolResult(answer);
      } catch (error) {
        signal.throwIfAborted();
        return failed(error);
      }
    },
    close: () => link.close(),
  };
}

/** The HTTP status of the server's response; undefined if the error has another cause. */
function statusOf(error: unknown): number | undefined {
  if (error instanceof SdkHttpError) return error.status;
  return error instanceof SseError ? error.code : undefined;
}

/** The reason why a server can't be used or a call failed, worded to follow the server's name and a colon. */
function describeFailure(error: unknown): string {
  if (typeof error === 'string') return error;
  if (error instanceof HttpFailure || error instanceof ToolListError) return error.message;
  const status = statusOf(error);
  if (status !== undefined) return `it answered with HTTP status ${status}`;
  if (error instanceof ProtocolError)
    return `it answered: ${error.message.slice(0, maxReasonCharacters)}`;
  if (error instanceof SdkError) {
    if (error.code === SdkErrorCode.ConnectionClosed) return 'it closed the connection';
    if (error.code === SdkErrorCode.NotConnected) return 'it is not connected any more';
    if (error.code === SdkErrorCode.InvalidResult) return 'its answer is not what MCP asks for';
  }
  return 'it does not keep to the protocol MCP';
}
