import { useState } from 'react';
import { developerTexts } from '../../../texts/developer.ts';
import { Button } from '../../../ui/button.tsx';
import { ToolForm } from './tool-form.tsx';
import type { McpTool } from './mcp-tool.ts';

const labels = developerTexts.mcp;

/** The tools of a server. Their descriptions are untrusted, so they are shown as plain text. */
export function ToolList({
  label,
  tools,
}: {
  readonly label: string;
  readonly tools: readonly McpTool[];
}) {
  const [tried, setTried] = useState<string>();
  return (
    <ul aria-label={labels.tools({ tools: tools.length })} className="divide-y border-t">
      {tools.map((tool) => (
        <li key={tool.name} className="px-4 py-3">
          <div className="flex items-start gap-3">
            <div className="min-w-0 flex-1">
              <p className="font-mono text-[13px] font-medium break-all">{tool.name}</p>
              {tool.description !== null && (
                <p dir="auto" className="line-clamp-4 text-sm break-words text-muted">
                  {tool.description}
                </p>
              )}
            </div>
            <Button
              size="small"
              aria-label={labels.tryTool({ name: tool.name })}
              aria-expanded={tried === tool.name}
              onClick={() => setTried(tried === tool.name ? undefined : tool.name)}
            >
              {labels.try}
            </Button>
          </div>
          {tried === tool.name && <ToolForm label={label} tool={tool} />}
        </li>
      ))}
    </ul>
  );
}
