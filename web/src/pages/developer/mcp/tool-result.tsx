import { developerTexts } from '../../../texts/developer.ts';
import { Badge } from '../../../ui/badge.tsx';
import { formatBytes } from '../../../ui/bytes.ts';
import { CodeText } from '../../../ui/code-text.tsx';
import { formatDuration } from '../../../ui/duration.ts';

const labels = developerTexts.mcp;

interface Block {
  readonly type: string;
  readonly [name: string]: unknown;
}

/**
 * The result of a tool: texts unchanged, other blocks by type and size. It is untrusted, so nothing in it is rendered
 * or fetched.
 */
export function ToolResult({
  result: { content, is_error, duration_ms },
}: {
  readonly result: {
    readonly content: readonly Block[];
    readonly is_error: boolean;
    readonly duration_ms: number;
  };
}) {
  return (
    <section aria-label={labels.result} role="status" className="flex flex-col gap-2">
      <p className="flex items-center gap-2 text-sm">
        <Badge tone={is_error ? 'danger' : 'ok'}>{is_error ? labels.failed : labels.result}</Badge>
        <span className="text-xs text-muted">
          {labels.took({ time: formatDuration(duration_ms / 1000) })}
        </span>
      </p>
      {content.map((block, index) => (
        <CodeText key={index} text={textOf(block)} label={labels.result} />
      ))}
    </section>
  );
}

function textOf({ type, text, data, ...rest }: Block): string {
  if (typeof text === 'string') return text;
  if (typeof data === 'string') {
    const bytes = Math.floor((data.length * 3) / 4);
    const { mimeType } = rest;
    return labels.block({
      type: typeof mimeType === 'string' ? mimeType : type,
      size: formatBytes(bytes),
    });
  }
  return JSON.stringify({ type, ...rest }, null, 2);
}
