import type { Tool } from './toolbox.ts';

/** Decision about a call: run it, ask the user, or refuse it. */
export type CallDecision = 'run' | 'ask' | 'refuse';

/**
 * Decides about a call of a tool that may need an approval. If the user made several choices, a refusal outweighs an
 * approval. Without a choice, only read-only tools of plugins run: the operator installed the plugin and trusts its
 * tool descriptions.
 *
 * @param choices The user's choices for the tool, such as for this conversation and for all.
 */
export function decideCall(
  { provider, annotations }: Pick<Tool, 'provider' | 'annotations'>,
  choices: readonly boolean[],
): CallDecision {
  if (choices.includes(false)) return 'refuse';
  if (choices.includes(true)) return 'run';
  const isReadOnly =
    annotations?.['readOnlyHint'] === true && annotations['destructiveHint'] !== true;
  return provider.type === 'plugin' && isReadOnly ? 'run' : 'ask';
}

const hintNames = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

export type ToolHints = { readonly [Name in (typeof hintNames)[number]]?: boolean };

/** The tool's hints that MCP defines; a server may send other fields, too. */
export function hintsOf({ annotations = {} }: Pick<Tool, 'annotations'>): ToolHints {
  return Object.fromEntries(
    hintNames.flatMap((name) =>
      typeof annotations[name] === 'boolean' ? [[name, annotations[name]]] : [],
    ),
  );
}
