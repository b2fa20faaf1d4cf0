import { Wrench } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { texts } from '../../../texts/texts.ts';
import { IconButton } from '../../../ui/icon-button.tsx';
import type { ConversationSettings } from '../settings/conversation-settings.ts';

const ToolsDialog = lazy(async () => ({
  default: (await import('../settings/tools-dialog.tsx')).ToolsDialog,
}));

export interface ToolsButtonProps {
  readonly settings: ConversationSettings;
  readonly onChange: (settings: ConversationSettings) => void;
}

/** Opens the tools of a conversation; colored if any are enabled. */
export function ToolsButton(props: ToolsButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const { integrations, servers = [] } = props.settings;
  const count = integrations.length + servers.length;
  return (
    <>
      <IconButton
        icon={Wrench}
        label={texts.chat.chooseTools({ tools: count })}
        aria-haspopup="dialog"
        className={count > 0 ? '!text-accent' : ''}
        onClick={() => setOpen(true)}
      />
      {isOpen && (
        <Suspense>
          <ToolsDialog {...props} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
