import { createHash } from 'node:crypto';
import type { ToolContent } from './turns/content.ts';
import type { ConversationTurn } from './turns/conversation-turn.ts';
import type { NewBlob } from './store.ts';

interface DetachedTurn {
  readonly turn: ConversationTurn;
  readonly blobs: readonly NewBlob[];
}

/** Replaces the base64 data of images in tool results with the SHA-256 of their bytes. */
export function detachImages(turn: ConversationTurn): DetachedTurn {
  const blobs: NewBlob[] = [];
  const detach = (block: ToolContent): ToolContent => {
    const { data } = block;
    if (block.type !== 'image' || typeof data !== 'string') return block;
    const bytes = Buffer.from(data, 'base64');
    // Data that is not base64 stays unchanged.
    if (bytes.length === 0 || bytes.toString('base64') !== data) return block;
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    blobs.push({ sha256, mediaType: String(block['mimeType']), bytes });
    return renamed(block, 'data', 'sha256', sha256);
  };
  const items = turn.items.map((item) =>
    item.type === 'toolCall' ? { ...item, result: item.result.map(detach) } : item,
  );
  return { turn: { ...turn, items }, blobs };
}

/** Renames a field and replaces its value; the order of the fields stays. */
export function renamed(block: ToolContent, from: string, to: string, value: string): ToolContent {
  const entries = Object.entries(block).map(([name, old]) =>
    name === from ? [to, value] : [name, old],
  );
  return { type: block.type, ...Object.fromEntries(entries) };
}
