import type { Logger } from '../observability/logger.ts';
import { ExposedNames } from './exposed-names.ts';
import type { Tool, Toolbox } from './toolbox.ts';
import type { OpenToolSource } from './tool-source.ts';
import type { ListedTool } from './tool-list.ts';
import { createArgumentCheck } from './tool-schema.ts';

/** CPU time for compiling one tool's schema and checking arguments with it. */
const argumentCheckMs = 250;

/** One toolbox out of what the integrations of a turn give. */
export function createToolbox(
  sources: readonly OpenToolSource[],
  logger: Logger,
  onClose: () => Promise<void>,
): Toolbox {
  const names = new ExposedNames();
  const made = new Map<ListedTool, Tool>();
  let closed: Promise<void> | undefined;

  function toTool(source: OpenToolSource, listed: ListedTool, exposedName: string): Tool {
    const { connection, provider, label } = source;
    const { name, description, parameters } = listed;
    const check = createArgumentCheck(parameters, {
      limitMs: argumentCheckMs,
      onUnchecked: (reason) =>
        logger.warn({ server: label, tool: name, reason }, 'arguments of a tool are not checked'),
    });
    return {
      name,
      exposedName,
      description,
      parameters,
      provider,
      findArgumentIssue: (args) => check.fault(args),
      call: (args, { signal }) => connection.call(name, args, signal),
    };
  }

  return {
    tools: () => {
      const listed = sources.flatMap((source) =>
        source.connection
          .list()
          .tools.filter(({ name }) => source.allowedTools?.has(name) !== false)
          .map((tool) => ({ source, tool })),
      );
      const offered = names.offer(
        listed.map(({ source, tool }) => ({ serverLabel: source.label, name: tool.name })),
      );
      return listed.map(({ source, tool }, index) => {
        const known = made.get(tool);
        if (known !== undefined) return known;
        const fresh = toTool(source, tool, offered[index] ?? tool.name);
        made.set(tool, fresh);
        return fresh;
      });
    },
    close: () => (closed ??= onClose()),
  };
}
