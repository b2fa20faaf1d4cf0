import { useMemo } from 'react';
import { texts } from '../../../texts/texts.ts';
import { classNames } from '../../../ui/class-names.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { newestLeaf, pathTo } from '../conversations/branches.ts';
import type { ConversationTree } from '../conversations/conversation-queries.ts';
import { branchSegments } from './branch-segments.ts';

/** Deeper branches are not indented further. */
const maxIndented = 8;
const indentPixels = 20;
const maxShown = 1000;

/** Shows the branches of a conversation as a tree. Choosing one shows it. */
export function BranchTree({
  nodes,
  leaf,
  onChoose,
  onClose,
}: {
  readonly nodes: ConversationTree['responses'];
  /** Id of the last response in the shown branch. */
  readonly leaf: string | null;
  readonly onChoose: (leaf: string) => void;
  readonly onClose: () => void;
}) {
  const segments = useMemo(() => branchSegments(nodes).slice(0, maxShown), [nodes]);
  const shown = useMemo(
    () => new Set(leaf === null ? [] : pathTo(nodes, leaf).map(({ response_id: id }) => id)),
    [nodes, leaf],
  );
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={texts.branches.title}
      description={texts.branches.description}
    >
      <ul className="flex flex-col gap-1 pt-2">
        {segments.map(({ first, last, length, depth }) => {
          const isShown = shown.has(first.response_id);
          return (
            <li
              key={first.response_id}
              style={{ paddingInlineStart: Math.min(depth, maxIndented) * indentPixels }}
            >
              <button
                type="button"
                aria-current={isShown || undefined}
                className={classNames(
                  'flex w-full items-baseline gap-3 rounded-lg border-s-3 px-3 py-1.5 text-start text-sm hover:bg-hover',
                  isShown ? 'border-accent bg-accent-soft' : 'border-line',
                )}
                onClick={() => {
                  onChoose(newestLeaf(nodes, first.response_id));
                  onClose();
                }}
              >
                <span dir="auto" className="min-w-0 flex-1 truncate">
                  {first.preview === '' ? texts.branches.empty : first.preview}
                </span>
                <span className="shrink-0 text-xs text-muted tabular-nums">
                  {last.interrupted === true && `${texts.branches.interrupted} · `}
                  {texts.branches.turns({ turns: length })}
                </span>
              </button>
            </li>
          );
        })}
      </ul>
    </Dialog>
  );
}
