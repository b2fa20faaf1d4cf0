import { Printer, Search } from 'lucide-react';
import { useMemo } from 'react';
import type { Command } from '../../shell/commands.ts';
import { texts } from '../../texts/texts.ts';
import { printRequest } from './print/print-request.ts';
import { stopRun } from './runs/run-store.ts';
import type { Run } from './runs/run.ts';

/** The commands of the chat page. */
export function usePageCommands(
  run: Run | undefined,
  openFind: (() => void) | undefined,
  conversationId: string | undefined,
): readonly Command[] {
  return useMemo(
    () => [
      ...(run === undefined
        ? []
        : [
            {
              id: 'stop',
              label: texts.chat.stop,
              keys: 'escape',
              worksInFields: true,
              run: () => void stopRun(run),
            },
          ]),
      ...(openFind === undefined
        ? []
        : [
            {
              id: 'find',
              label: texts.chat.find.label,
              icon: Search,
              keys: 'mod+f',
              run: openFind,
            },
          ]),
      ...(conversationId === undefined
        ? []
        : [
            {
              id: 'print',
              label: texts.chat.print,
              icon: Printer,
              keys: 'mod+p',
              run: () => printRequest.set(conversationId),
            },
          ]),
    ],
    [run, openFind, conversationId],
  );
}
