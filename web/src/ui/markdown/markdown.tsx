import { memo, useRef } from 'react';
import './markdown.css';
import { parseBlocks, type Block, type ParsedText } from './parse-blocks.ts';
import { TokenView } from './render-tokens.tsx';

/** Shows untrusted Markdown of a model, a tool or a hub. */
export function Markdown({
  text,
  isOpen = false,
}: {
  readonly text: string;
  /** True if the text may grow: then only its last block is parsed and rendered again. */
  readonly isOpen?: boolean;
}) {
  const previous = useRef<ParsedText>(undefined);
  // The ref is only a cache: the result depends on the text alone.
  // oxlint-disable-next-line react/refs
  const parsed = parseBlocks(text, previous.current);
  // oxlint-disable-next-line react/refs
  previous.current = parsed;
  return (
    <div className="markdown" dir="auto">
      {parsed.blocks.map((block, index) => (
        <BlockView
          key={index}
          block={block}
          isOpen={isOpen && index === parsed.blocks.length - 1}
        />
      ))}
    </div>
  );
}

const BlockView = memo(
  ({ block, isOpen }: { readonly block: Block; readonly isOpen: boolean }) => (
    <TokenView
      token={block.token as Parameters<typeof TokenView>[0]['token']}
      depth={0}
      isOpen={isOpen}
    />
  ),
  (one, other) => one.block.raw === other.block.raw && one.isOpen === other.isOpen,
);
