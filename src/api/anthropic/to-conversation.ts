import type { TurnContent, TurnMessage } from '../../chat/turn-request.ts';
import type {
  AnthropicMessageParam,
  AnthropicReadableBlock,
  AnthropicToolResult,
} from './content-schema.ts';
import { invalidValue } from '../../kernel/errors/errors.ts';

/** A part of a message and its path in the request. */
interface LocatedPart {
  readonly part: TurnContent;
  readonly path: string;
}

interface LocatedMessage {
  readonly message: TurnMessage;
  /** Paths of the content's parts, in the same order. */
  readonly paths: readonly string[];
}

/**
 * The messages of a request, converted for a turn. A turn has more messages, since each tool result is a message of its
 * own.
 */
export interface Conversation {
  readonly messages: readonly TurnMessage[];
  /** Path in the request, such as `messages[2].content[0]`, of a part of these messages. */
  readonly pathOf: (message: number, part: number) => string | undefined;
}

/**
 * Converts the messages of a request. As in Anthropic's API, successive messages with the same role are joined.
 * Reasoning is left out.
 *
 * @throws HearthError `invalid_value` for calls without results, results without calls, and citations.
 */
export function toConversation(messages: readonly AnthropicMessageParam[]): Conversation {
  assertToolResults(messages);
  const located = joinAlike(
    messages.flatMap((message, index) => toMessages(message, `messages[${index}]`)),
  );
  return {
    messages: located.map(({ message }) => message),
    pathOf: (message, part) => located[message]?.paths[part],
  };
}

function toMessages(message: AnthropicMessageParam, path: string): readonly LocatedMessage[] {
  if (typeof message.content === 'string') {
    const part = { type: 'text', text: message.content } as const;
    return [locate(message.role, [{ part, path: `${path}.content` }])];
  }
  switch (message.role) {
    case 'system':
      return [
        locate(
          'system',
          message.content.flatMap((block, index) => readable(block, `${path}.content[${index}]`)),
        ),
      ];
    case 'assistant': {
      const parts = message.content.flatMap((block, index) =>
        block.type === 'text' ? readable(block, `${path}.content[${index}]`) : [],
      );
      const toolCalls = message.content.flatMap((block) =>
        block.type === 'tool_use'
          ? [{ id: block.id, name: block.name, argumentsJson: JSON.stringify(block.input) }]
          : [],
      );
      const assistant = locate('assistant', parts);
      if (toolCalls.length === 0) return [assistant];
      return [{ ...assistant, message: { ...assistant.message, role: 'assistant', toolCalls } }];
    }
    case 'user': {
      const located: LocatedMessage[] = [];
      for (const [index, block] of message.content.entries()) {
        const at = `${path}.content[${index}]`;
        located.push(
          block.type === 'tool_result'
            ? toToolMessage(block, at)
            : locate('user', readable(block, at)),
        );
      }
      return located;
    }
  }
}

function toToolMessage(
  { tool_use_id: toolCallId, content, is_error: isError }: AnthropicToolResult,
  path: string,
): LocatedMessage {
  const parts =
    typeof content === 'string'
      ? [{ part: { type: 'text', text: content } as const, path: `${path}.content` }]
      : (content ?? []).flatMap((block, index) => readable(block, `${path}.content[${index}]`));
  return {
    message: {
      role: 'tool',
      toolCallId,
      content: parts.map(({ part }) => part),
      ...(isError === true ? { isError } : {}),
    },
    paths: parts.map((part) => part.path),
  };
}

function locate(
  role: 'user' | 'assistant' | 'system',
  parts: readonly LocatedPart[],
): LocatedMessage {
  return {
    message: { role, content: parts.map(({ part }) => part) },
    paths: parts.map(({ path }) => path),
  };
}

/**
 * Converts a block to parts that the model reads. Documents and search results become text between tags with their
 * names.
 */
function readable(block: AnthropicReadableBlock, path: string): readonly LocatedPart[] {
  const text = (value: string): LocatedPart => ({ part: { type: 'text', text: value }, path });
  switch (block.type) {
    case 'text':
      return [text(block.text)];
    case 'image': {
      const { source } = block;
      const url =
        source.type === 'url' ? source.url : `data:${source.media_type};base64,${source.data}`;
      return [{ part: { type: 'image', url }, path }];
    }
    case 'document': {
      assertNoCitations(block.citations, path);
      const { source, title, context } = block;
      const opening = ['<document>', tag('title', title), tag('context', context)].join('');
      if (source.type === 'base64' || source.type === 'file')
        throw new Error('The document has not been read');
      if (source.type === 'text') return [text(`${opening}\n${source.data}\n</document>`)];
      if (typeof source.content === 'string') {
        return [text(`${opening}\n${source.content}\n</document>`)];
      }
      const parts = source.content.flatMap((part, index) =>
        readable(part, `${path}.source.content[${index}]`),
      );
      return [text(opening), ...parts, text('</document>')];
    }
    case 'search_result': {
      assertNoCitations(block.citations, path);
      const { source, title, content } = block;
      const opening = ['<search_result>', tag('source', source), tag('title', title)].join('');
      const body = content.map((part) => part.text).join('\n');
      return [text(`${opening}\n${body}\n</search_result>`)];
    }
  }
}

function tag(name: string, text: string | null | undefined): string {
  return text == null ? '' : `\n<${name}>${text}</${name}>`;
}

function assertNoCitations(
  citations: { readonly enabled?: boolean | null | undefined } | null | undefined,
  path: string,
): void {
  if (citations?.enabled !== true) return;
  throw invalidValue(`${path}.citations`, 'Citations are not supported. Omit them.');
}

/** Joins neighboring messages with the same role. */
function joinAlike(located: readonly LocatedMessage[]): readonly LocatedMessage[] {
  const groups: [LocatedMessage, ...LocatedMessage[]][] = [];
  for (const each of located) {
    const group = groups.at(-1);
    if (group !== undefined && isAlike(group[0], each)) group.push(each);
    else groups.push([each]);
  }
  return groups.map(join);
}

/** True if two neighbors are joined; each tool result stays a message of its own. */
function isAlike({ message: one }: LocatedMessage, { message: other }: LocatedMessage): boolean {
  return one.role === other.role && (one.role === 'user' || one.role === 'assistant');
}

function join(group: readonly [LocatedMessage, ...LocatedMessage[]]): LocatedMessage {
  const [first] = group;
  if (group.length === 1) return first;
  const toolCalls = group.flatMap(({ message }) =>
    message.role === 'assistant' ? (message.toolCalls ?? []) : [],
  );
  const content = group.flatMap(({ message }) => message.content);
  return {
    message:
      first.message.role === 'assistant'
        ? { role: 'assistant', content, ...(toolCalls.length === 0 ? {} : { toolCalls }) }
        : { ...first.message, content },
    paths: group.flatMap(({ paths }) => paths),
  };
}

/**
 * Checks that each call has its result in the next message, and that each result has a call.
 *
 * @throws HearthError `invalid_value`.
 */
function assertToolResults(messages: readonly AnthropicMessageParam[]): void {
  /** Paths of the calls that have no result yet, by call id. */
  const pending = new Map<string, string>();
  let previousRole: 'user' | 'assistant' = 'user';
  for (const [index, { role, content }] of messages.entries()) {
    if (role === 'system') continue;
    if (role === 'assistant' && previousRole === 'user') assertNonePending(pending);
    previousRole = role;
    if (typeof content === 'string') continue;
    for (const [position, block] of content.entries()) {
      const path = `messages[${index}].content[${position}]`;
      if (block.type === 'tool_use') pending.set(block.id, `${path}.id`);
      if (block.type !== 'tool_result' || pending.delete(block.tool_use_id)) continue;
      throw invalidValue(
        `${path}.tool_use_id`,
        `unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${JSON.stringify(block.tool_use_id)}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      );
    }
  }
  assertNonePending(pending);
}

/** @throws HearthError `invalid_value`. */
function assertNonePending(pending: ReadonlyMap<string, string>): void {
  const [first] = pending;
  if (first === undefined) return;
  const [id, param] = first;
  throw invalidValue(
    param,
    `\`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${JSON.stringify(id)}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
  );
}
