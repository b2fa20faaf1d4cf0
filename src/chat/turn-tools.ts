import { isDeepStrictEqual } from 'node:util';
import { HearthError } from '../kernel/errors/errors.ts';
import type { ToolProvider } from '../store/turns/content.ts';
import type { ToolChoice, ToolDefinition } from '../engines/engine.ts';
import { omitUndefined } from '../kernel/omit-undefined.ts';
import type { Tool, Toolbox } from '../tools/toolbox.ts';

/** A tool of an ephemeral server, by its name on that server. */
export interface ServerToolChoice {
  readonly serverLabel: string;
  readonly name: string;
}

/** The party that runs a tool: a tool server or the client. */
export type ToolOwner =
  | { readonly type: 'server'; readonly tool: Tool }
  | { readonly type: 'client' };

const noServers: Toolbox = { tools: () => [], close: async () => {} };

/** The tools that the model may call in a turn: tools of tool servers and tools of the client. */
export class TurnTools {
  readonly #toolbox: Toolbox;
  readonly #clientTools: readonly ToolDefinition[] | undefined;
  readonly #clientNames: ReadonlySet<string>;

  /**
   * @param toolbox Undefined for a turn without tool servers.
   * @throws HearthError `invalid_value` if a tool of the client has the name of another tool.
   */
  constructor(toolbox: Toolbox = noServers, clientTools?: readonly ToolDefinition[]) {
    this.#toolbox = toolbox;
    this.#clientTools = clientTools;
    this.#clientNames = new Set(clientTools?.map(({ name }) => name));
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

  /** The present tools; a tool server may announce changes at any time. */
  definitions(): readonly ToolDefinition[] {
    const ofServers = this.#serverTools().map(({ exposedName, description, parameters }) => ({
      name: exposedName,
      parameters,
      ...omitUndefined({ description }),
    }));
    return [...ofServers, ...(this.#clientTools ?? [])];
  }

  /**
   * Omits server tools with the name of a client tool: a server that announces such a name later must not get the
   * client's calls.
   */
  #serverTools(): readonly Tool[] {
    const tools = this.#toolbox.tools();
    if (this.#clientNames.size === 0) return tools;
    return tools.filter(({ exposedName }) => !this.#clientNames.has(exposedName));
  }

  /** True if the model has no tools to call. */
  get isEmpty(): boolean {
    return this.definitions().length === 0;
  }

  /** A set without tools, for a generation that must not call any. */
  static none(): TurnTools {
    return new TurnTools();
  }

  /** The tool with this name on its own server; undefined if there is none. */
  findOnServer(provider: ToolProvider, name: string): Tool | undefined {
    return this.#toolbox
      .tools()
      .find((tool) => tool.name === name && isDeepStrictEqual(tool.provider, provider));
  }

  /**
   * Converts a request's tool choice to the name that the model knows.
   *
   * @throws HearthError `invalid_value` if the server has no such tool.
   */
  nameChoice(choice: ToolChoice | ServerToolChoice | undefined): ToolChoice | undefined {
    if (typeof choice !== 'object' || !('serverLabel' in choice)) return choice;
    const { serverLabel, name } = choice;
    const tool = this.findOnServer({ type: 'ephemeralMcp', serverLabel }, name);
    if (tool !== undefined) return { name: tool.exposedName };
    throw new HearthError(
      'invalid_value',
      (field) =>
        `\`${field('toolChoice')}\` names the tool ${JSON.stringify(name)} of the server ${JSON.stringify(serverLabel)}, which the request does not offer.`,
      { field: 'toolChoice' },
    );
  }

  /** The tools of one server. */
  ofServer(provider: ToolProvider): readonly Tool[] {
    return this.#toolbox.tools().filter((tool) => isDeepStrictEqual(tool.provider, provider));
  }

  /** Undefined if there is no such tool. */
  find(exposedName: string): ToolOwner | undefined {
    if (this.#clientNames.has(exposedName)) return { type: 'client' };
    const tools = this.#toolbox.tools();
    const tool = tools.find((each) => each.exposedName === exposedName);
    if (tool !== undefined) return { type: 'server', tool };
    // The client can handle an unknown name better than the model.
    return this.#clientNames.size > 0 && tools.length === 0 ? { type: 'client' } : undefined;
  }
}
