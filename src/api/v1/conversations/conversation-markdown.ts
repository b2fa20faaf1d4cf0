import type { ConversationContent, ConversationMessage } from '../../../store/turns/content.ts';
import type { TurnItem } from '../../../store/turns/turn-item.ts';
import type { StoredResponse } from '../../../store/store.ts';
import { fenceFor } from '../../../kernel/code-fence.ts';

export function conversationTitleMarkdown(title: string): string {
  return `# ${title.replaceAll(/\s+/g, ' ')}\n`;
}

/** Formats one turn of an exported conversation: its messages and items, oldest first. */
export function toMarkdown({ modelKey, turn }: StoredResponse): string {
  const sections = [
    // A client sends an empty prompt to remove an earlier one.
    ...(turn.systemPrompt === null || turn.systemPrompt === ''
      ? []
      : [section('System', turn.systemPrompt)]),
    ...turn.messages.map((message) => section(headingOf(message), textOf(message.content))),
    section(modelKey, turn.items.map(itemMarkdown).join('\n\n')),
    ...(turn.isInterrupted === true ? ['\n_The answer was interrupted._\n'] : []),
  ];
  return sections.join('');
}

function section(heading: string, text: string): string {
  return `\n## ${heading}\n\n${text}\n`;
}

function headingOf({ role }: ConversationMessage): string {
  const headings = { user: 'User', system: 'System', assistant: 'Assistant', tool: 'Tool' };
  return headings[role];
}

function textOf(content: readonly ConversationContent[]): string {
  return content
    .map((part) => (part.type === 'text' ? part.text : `_(${part.type})_`))
    .join('\n\n');
}

function itemMarkdown(item: TurnItem): string {
  switch (item.type) {
    case 'message':
      return item.text;
    case 'reasoning':
      return `<details><summary>Reasoning</summary>\n\n${item.text}\n\n</details>`;
    case 'toolCall':
      return callMarkdown(item.tool, JSON.stringify(item.arguments), textOfResult(item.result));
    case 'approvalRequest':
      return callMarkdown(item.tool, JSON.stringify(item.arguments), undefined);
    case 'toolList':
      return '';
    case 'clientToolCall':
      return callMarkdown(item.name, item.argumentsJson, undefined);
    case 'invalidToolCall':
      return callMarkdown(item.exposedName, JSON.stringify(item.arguments ?? {}), item.reason);
  }
}

function textOfResult(
  result: readonly { readonly type: string; readonly text?: unknown }[],
): string {
  return result.map(({ type, text }) => (typeof text === 'string' ? text : `(${type})`)).join('\n');
}

function callMarkdown(name: string, argumentsJson: string, result: string | undefined): string {
  const call = fenced(`${name} ${argumentsJson}`);
  return result === undefined ? call : `${call}\n\n${fenced(result)}`;
}

function fenced(text: string): string {
  const fence = fenceFor(text);
  return `${fence}\n${text}\n${fence}`;
}
