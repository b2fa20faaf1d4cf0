import type { RequestContext } from '../kernel/request/request-context.ts';
import type { ServerConnection } from './server-connection.ts';
import type { ToolList } from './tool-list.ts';
import type { ToolProvider } from '../store/turns/content.ts';
import type { ApprovalRule, ToolFilter } from './tool-filter.ts';

/** The tool server of one integration, validated but not connected. */
export interface ToolSource {
  /** Distinguishes equally named tools of different servers. */
  readonly label: string;
  readonly provider: ToolProvider;
  /** The tools, if they are known without a connection. */
  readonly list?: ToolList;
  /**
   * Connects and lists the tools.
   *
   * @throws HearthError; the signal's reason when aborted.
   */
  open(context: RequestContext): Promise<ServerConnection>;
}

/** The connection to the tool server of one integration. */
export interface OpenToolSource {
  readonly label: string;
  readonly provider: ToolProvider;
  /** The tools that the model may call. */
  readonly allowed: ToolFilter;
  readonly approval: ApprovalRule | undefined;
  readonly connection: ServerConnection;
}

const maxNames = 50;

/** Lists up to 50 names for a message. */
export function listNames(names: readonly string[]): string {
  if (names.length === 0) return 'none';
  const rest = names.length - maxNames;
  const shown = names.slice(0, maxNames).join(', ');
  return rest > 0 ? `${shown} and ${rest} more` : shown;
}
