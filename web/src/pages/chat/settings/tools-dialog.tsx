import { texts } from '../../../texts/texts.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { ToolsSetting, type ToolsProps } from './tools-setting.tsx';

/** The tools of a conversation, from the button beside the message. */
export function ToolsDialog({ onClose, ...props }: ToolsProps & { readonly onClose: () => void }) {
  return (
    <Dialog isOpen onClose={onClose} title={texts.approvals.title} className="max-w-xl">
      <ToolsSetting {...props} />
    </Dialog>
  );
}
