import { isDeepStrictEqual } from 'node:util';
import { HearthError } from '../contract/errors.ts';
import type { ToolProvider } from '../conversation/content.ts';
import type { ToolDefinition } from '../engine/engine.ts';
import { omitUndefined } from '../omit-undefined.ts';
import type { Tool, Toolbox } from '../tools/toolbox.ts';

/** The party that runs a tool. */
export type ToolOwner =
  | { readonly type: 'server'; readonly tool: Tool }
  | { readonly type: 'client' };

/** The tools that the model may call in a turn: those of the tool servers and those of the client. */
export class TurnTools {
  readonly #toolbox: Toolbox;
  readonly #clientTools: readonly ToolDefinition[] | undefined;

  /** @throws HearthError `invalid_value` if a tool of the client has the name of another tool. */
  constructor(toolbox: Toolbox, clientTools: readonly ToolDefinition[] | undefined) {
    this.#toolbox = toolbox;
    this.#clientTools = clientTools;
    const serverNames = new Set(toolbox.tools().map(({ exposedName }) => exposedName));
    for (const [index, { name }] of (clientTools ?? []).entries()) {
      if (!serverNames.has(name)) continue;
      throw new HearthError(
        'invalid_value',
        `A tool of the integrations has the name ${JSON.stringify(name)} too. Rename this one.`,
        { field: `clientTools[${index}].name` },
      );
    }
  }

  /** The current tools for the model: a tool server may announce changes. */
  definitions(): readonly ToolDefinition[] {
    const ofServers = this.#toolbox.tools().map(({ exposedName, description, parameters }) => ({
      name: exposedName,
      parameters,
      ...omitUndefined({ description }),
    }));
    return [...ofServers, ...(this.#clientTools ?? [])];
  }

  /** Whether the model may call anything. */
  get isEmpty(): boolean {
    return this.definitions().length === 0;
  }

  /** No tools at all, for a generation that may not call. */
  static none(): TurnTools {
    return new TurnTools({ tools: () => [], close: async () => {} }, undefined);
  }

  /** The tool with this name on its own server; undefined where there is none. */
  findOnServer(provider: ToolProvider, name: string): Tool | undefined {
    return this.#toolbox
      .tools()
      .find((tool) => tool.name === name && isDeepStrictEqual(tool.provider, provider));
  }

  /** The tools of one server. */
  ofServer(provider: ToolProvider): readonly Tool[] {
    return this.#toolbox.tools().filter((tool) => isDeepStrictEqual(tool.provider, provider));
  }

  /** Undefined where there is no such tool. */
  find(exposedName: string): ToolOwner | undefined {
    const tools = this.#toolbox.tools();
    const tool = tools.find((each) => each.exposedName === exposedName);
    if (tool !== undefined) return { type: 'server', tool };
    const isOfClient =
      this.#clientTools?.some(({ name }) => name === exposedName) === true ||
      // The client knows better what to do with a name of its own than the model does.
      (this.#clientTools !== undefined && this.#clientTools.length > 0 && tools.length === 0);
    return isOfClient ? { type: 'client' } : undefined;
  }
}
