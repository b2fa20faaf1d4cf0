import type { OpenAiOutputItem } from './response-schema.ts';
import type { OpenAiFunctionTool, OpenAiTool } from './response-request-schema.ts';

/** The function's name for the model: `crm.find_customer`. */
export function toFullName(name: string, namespace: string | null | undefined): string {
  return namespace == null ? name : `${namespace}.${name}`;
}

/** The functions of a tool with their full names; empty for a tool server. */
export function toFunctions(tool: OpenAiTool): readonly OpenAiFunctionTool[] {
  if (tool.type === 'function') return [tool];
  if (tool.type !== 'namespace') return [];
  return tool.tools.map((each) => ({
    ...each,
    name: toFullName(each.name, tool.name),
    description: [tool.description, each.description].filter((text) => text != null).join('\n'),
  }));
}

/** Separates the namespace from the function's name in a call; returns other items unchanged. */
export function withNamespace<Item extends OpenAiOutputItem>(
  item: Item,
  tools: readonly Readonly<Record<string, unknown>>[],
): Item {
  if (item.type !== 'function_call') return item;
  const namespace = tools.find(
    ({ type, name }) => type === 'namespace' && item.name.startsWith(`${String(name)}.`),
  )?.['name'];
  if (typeof namespace !== 'string') return item;
  return { ...item, namespace, name: item.name.slice(namespace.length + 1) };
}
