import { HearthError } from '../kernel/errors/errors.ts';
import { omitUndefined } from '../kernel/omit-undefined.ts';
import type { ToolProvider } from '../store/turns/content.ts';
import type { ConversationTurn } from '../store/turns/conversation-turn.ts';
import type { ToolDescription } from '../store/turns/turn-item.ts';
import { fileSearchProvider, isFileSearch } from '../tools/file-search.ts';
import type { Integration, Tool, Toolbox } from '../tools/toolbox.ts';
import { labelOf } from './approvals.ts';
import type { TurnEvent } from './turn-event.ts';
import type { TurnRecorder } from './turn-recorder.ts';
import type { TurnRequest } from './turn-request.ts';
import { TurnTools } from './turn-tools.ts';

/**
 * Waits for the tools of a turn. If the request wants tool lists, yields the servers' lists that the conversation has
 * not shown yet.
 *
 * @throws The errors of `ToolServers.open`.
 */
export async function* listTools(
  { integrations, toolLists }: TurnRequest,
  turns: readonly ConversationTurn[],
  opening: Promise<Toolbox>,
  recorder: TurnRecorder,
): AsyncGenerator<TurnEvent, Toolbox> {
  const listed = new Set([...(toolLists?.knownLabels ?? []), ...turns.flatMap(labelsOf)]);
  const unlisted = toolLists === undefined ? [] : integrations.map(providerOf);
  const providers = unlisted.filter(
    (provider) => !isFileSearch(provider) && !listed.has(labelOf(provider)),
  );
  for (const provider of providers) yield { type: 'toolList.start', provider };
  let toolbox: Toolbox;
  try {
    toolbox = await opening;
  } catch (error) {
    const failed = error instanceof HearthError ? failedProvider(error, integrations) : undefined;
    if (failed !== undefined && providers.some((each) => labelOf(each) === labelOf(failed))) {
      yield { type: 'toolList.failure', provider: failed, error: error as HearthError };
    }
    throw error;
  }
  const tools = new TurnTools(toolbox, undefined);
  for (const provider of providers) {
    const item = {
      type: 'toolList',
      provider,
      tools: tools.ofServer(provider).map(toDescription),
    } as const;
    recorder.recordToolList(item);
    yield { type: 'toolList.end', item };
  }
  return toolbox;
}

function labelsOf({ items }: ConversationTurn): readonly string[] {
  return items.flatMap((item) => (item.type === 'toolList' ? [labelOf(item.provider)] : []));
}

function providerOf(integration: Integration): ToolProvider {
  if (integration.type === 'fileSearch') return fileSearchProvider;
  return integration.type === 'plugin'
    ? { type: 'plugin', pluginId: integration.id }
    : { type: 'ephemeralMcp', serverLabel: integration.serverLabel };
}

/** The server that caused the error. */
function failedProvider(
  { field = '' }: HearthError,
  integrations: readonly Integration[],
): ToolProvider | undefined {
  const [, index] = /^integrations\[(\d+)\]/.exec(field) ?? [];
  const integration = index === undefined ? undefined : integrations[Number(index)];
  return integration && providerOf(integration);
}

function toDescription({ name, description, parameters, annotations }: Tool): ToolDescription {
  return { name, parameters, ...omitUndefined({ description, annotations }) };
}
