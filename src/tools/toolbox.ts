import type { JsonObject, ToolContent, ToolProvider } from '../store/turns/content.ts';
import type { RequestContext } from '../kernel/request/request-context.ts';
import type { FileSearchOptions } from './file-search.ts';
import type { ApprovalRule } from './tool-filter.ts';

/**
 * A tool server, or the search in vector stores, that a request uses. If `allowedTools` is absent, all tools of a
 * server are allowed.
 */
export type Integration =
  | ({ readonly type: 'fileSearch' } & FileSearchOptions)
  | {
      readonly type: 'plugin';
      /** `mcp/<server_label>` */
      readonly id: string;
      /** True if the request names the plugin only by its id, so that errors refer to the integration itself. */
      readonly isBare?: boolean;
      readonly allowedTools?: readonly string[];
    }
  | {
      readonly type: 'ephemeralMcp';
      readonly serverLabel: string;
      readonly serverUrl: string;
      readonly allowedTools?: readonly string[];
      /** Allows only tools with this value of `readOnlyHint`. */
      readonly allowsReadOnly?: boolean;
      /** If absent, no call needs an approval. */
      readonly approval?: ApprovalRule;
      readonly headers?: Readonly<Record<string, string>>;
    };

export interface ToolResult {
  /** Truncated with a note if it exceeds the limits. */
  readonly content: readonly ToolContent[];
  /** True if the tool reported a failure. Only the model gets to see it. */
  readonly isError: boolean;
}

export interface CallOptions {
  /** Position in the trace of the request, passed to the tool server; see W3C Trace Context. */
  readonly traceparent?: string;
}

export interface Tool {
  /** The tool's name on its server. */
  readonly name: string;
  /** The name that the model sees: unique in the turn, at most 64 letters, digits, `_` and `-`. */
  readonly exposedName: string;
  readonly description: string | undefined;
  /** JSON schema of the arguments object. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly provider: ToolProvider;
  /** The server's hints about the tool, in MCP's format. */
  readonly annotations?: JsonObject;
  /** True if calls need the client's approval. */
  readonly needsApproval?: boolean;
  /**
   * Checks the arguments. Returns an explanation for the model if they don't match the schema or could not be checked;
   * undefined if they are valid.
   */
  findArgumentIssue(args: Readonly<Record<string, unknown>>): string | undefined;
  /**
   * Calls the tool. A timeout, a rejected call and a lost connection
   * are results with `isError` and an explanation.
   *
   * @throws The signal's reason when aborted.
   */
  call(
    args: Readonly<Record<string, unknown>>,
    context: RequestContext,
    options?: CallOptions,
  ): Promise<ToolResult>;
}

/** The tools of one turn. */
export interface Toolbox {
  /** The current tools, which may change when a server announces it. */
  tools(): readonly Tool[];
  /** Closes every connection. Idempotent. */
  close(): Promise<void>;
}

export interface ToolServers {
  /**
   * Checks a request's integrations without starting processes or connecting: permissions, entries of mcp.json,
   * addresses and headers. `open` repeats these checks.
   *
   * @throws HearthError `forbidden`, `invalid_value`, `vector_store_not_found`, `plugin_unreachable` (an entry that
   * can't be used), with the domain path of the integration as `field`.
   */
  validate(integrations: readonly Integration[], context: RequestContext): Promise<void>;
  /**
   * Connects to the tool servers of a request and lists their tools.
   *
   * @throws HearthError `forbidden` (plugin without a token that may use it, ephemeral servers disabled, an address
   * that is not allowed), `invalid_value` (unknown plugin, unknown name in `allowedTools`), `plugin_unreachable`,
   * `mcp_unreachable`, `queue_full` (too many plugin processes), `shutting_down`; the signal's reason when aborted.
   */
  open(integrations: readonly Integration[], context: RequestContext): Promise<Toolbox>;
  /** Closes every toolbox, with its connections and processes. */
  close(): Promise<void>;
}

/** Tool servers that an operator can try, too. */
export interface TriableToolServers extends ToolServers {
  /**
   * Connects to a plugin that an operator tries, even if requests may not use plugins.
   *
   * @param label Label in mcp.json, or the label of a built-in plugin.
   * @throws The errors of `open`, with the field `label`.
   */
  tryPlugin(label: string, context: RequestContext): Promise<Toolbox>;
}
