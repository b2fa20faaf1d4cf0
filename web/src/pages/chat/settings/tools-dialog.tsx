import { texts } from '../../../texts/texts.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { ToolsSetting, type ToolsProps } from './tools-setting.tsx';

/** Dialog with the tools of a conversation. */
export function ToolsDialog({ onClose, ...props }: ToolsProps & { readonly onClose: () => void }) {
  return (
    <Dialog isOpen onClose={onClose} title={texts.approvals.title} className="max-w-xl">
      <ToolsSetting {...props} isTitled />
    </Dialog>
  );
}
