/** What a turn sees of tools, wherever they come from. */

/** Where a tool lives, as the API shows it in `provider_info`. */
export type ToolProvider =
  | { readonly type: 'plugin'; readonly pluginId: string }
  | { readonly type: 'ephemeral_mcp'; readonly serverLabel: string };

/** An integration as a request gives it; `allowedTools` absent: all tools. */
export type Integration =
  | {
      readonly type: 'plugin';
      /** `mcp/<server_label>` */
      readonly id: string;
      /** Whether the request has the id alone, not an object. */
      readonly isBare?: boolean;
      readonly allowedTools?: readonly string[];
    }
  | {
      readonly type: 'ephemeral_mcp';
      readonly serverLabel: string;
      readonly serverUrl: string;
      readonly allowedTools?: readonly string[];
      readonly headers?: Readonly<Record<string, string>>;
    };

/** A part of a tool's result: MCP's content blocks, bounded in size. */
export type ToolContent = { readonly type: string } & Readonly<Record<string, unknown>>;

export interface ToolResult {
  /** Cut with a note where the server sent more than the bound. */
  readonly content: readonly ToolContent[];
  /** Whether the tool itself says that it failed; the model is told so, nothing else. */
  readonly isError: boolean;
}

export interface Tool {
  /** As its server calls it; what `tool` says in the API. */
  readonly name: string;
  /** As the model is offered it: unique in the turn, letters, digits, `_` and `-`, at most 64. */
  readonly exposedName: string;
  readonly description: string | undefined;
  /** JSON schema of the arguments object. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly provider: ToolProvider;
  /** Why the arguments don't fit the schema; undefined where they do. */
  findArgumentIssue(args: Readonly<Record<string, unknown>>): string | undefined;
  /**
   * Calls the tool. A time limit that passes, a call that the server refuses and a connection that is lost
   * are results with `isError` that say so.
   *
   * @throws the signal's reason when aborted.
   */
  call(args: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<ToolResult>;
}

/** The tools of one turn. */
export interface Toolbox {
  /** Now: a server may have announced that its list changed. */
  tools(): readonly Tool[];
  /** Ends every connection; a second call does nothing. */
  close(): Promise<void>;
}

/** Who asks, as far as tools care. */
export interface ToolCaller {
  readonly tokenId: string | null;
  readonly hasPermission: (permission: 'plugins' | 'ephemeral-mcp') => boolean;
}

export interface ToolServers {
  /**
   * Connects to what a request integrates and lists its tools.
   *
   * @throws HearthError `forbidden` (plugin without a token that may use them, ephemeral servers switched off,
   *   an address that is not allowed), `invalid_value` (unknown plugin, unknown name in `allowed_tools`, with
   *   those there are), `plugin_unreachable`, `mcp_unreachable`; the signal's reason when aborted.
   */
  open(
    integrations: readonly Integration[],
    caller: ToolCaller,
    signal: AbortSignal,
  ): Promise<Toolbox>;
  /** Ends every process and connection. */
  close(): Promise<void>;
}
