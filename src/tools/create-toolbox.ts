import type { Logger } from '../kernel/logger.ts';
import { omitUndefined } from '../kernel/omit-undefined.ts';
import { ExposedNames } from './exposed-names.ts';
import type { Tool, Toolbox } from './toolbox.ts';
import type { OpenToolSource } from './tool-source.ts';
import type { ListedTool } from './tool-list.ts';
import { matchesFilter, needsApproval } from './tool-filter.ts';
import { EndlessCheckError } from './tool-schema.ts';
import { CpuTimeError } from './within-cpu-time.ts';

/** Creates the toolbox of a turn from the tools of its integrations. */
export function createToolbox(
  sources: readonly OpenToolSource[],
  logger: Logger,
  onClose: () => Promise<void>,
): Toolbox {
  const names = new ExposedNames();
  const made = new Map<ListedTool, Tool>();
  let closed: Promise<void> | undefined;

  function toTool(source: OpenToolSource, listed: ListedTool, exposedName: string): Tool {
    const { connection, provider, label, approval } = source;
    const { name, description, parameters, annotations, schema } = listed;
    let refusal: string | undefined;

    function findArgumentIssue(args: Readonly<Record<string, unknown>>): string | undefined {
      if (refusal !== undefined) return refusal;
      try {
        const issue = schema.findIssue(args);
        return issue && `The arguments of ${name} don't fit its schema: ${issue}`;
      } catch (error) {
        const reason = whyUnchecked(error);
        if (reason === undefined) throw error;
        // The next check might take as long, so the tool is disabled for this turn.
        logger.warn({ server: label, tool: name, reason }, 'arguments of a tool not checked');
        refusal = `The arguments of ${name} could not be checked: its schema ${reason}. The tool can't be called again.`;
        return refusal;
      }
    }

    return {
      name,
      exposedName,
      description,
      parameters,
      provider,
      ...omitUndefined({ annotations }),
      needsApproval: needsApproval(approval, listed),
      findArgumentIssue,
      call: (args, { signal }, options) => connection.call(name, args, signal, options),
    };
  }

  return {
    tools: () => {
      const listed = sources.flatMap((source) =>
        source.connection
          .list()
          .tools.filter((tool) => matchesFilter(source.allowed, tool))
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

/** Reason to follow the words "its schema"; undefined for other errors. */
function whyUnchecked(error: unknown): string | undefined {
  if (error instanceof CpuTimeError) return 'takes too long';
  return error instanceof EndlessCheckError ? 'goes deeper than can be followed' : undefined;
}
