import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useId, useState, type KeyboardEvent, type ReactNode } from 'react';
import { moveByArrows } from '../../../ui/arrow-keys.ts';
import { variablesOf } from './fill-prompt.ts';
import { promptsQuery } from './prompt-queries.ts';

const PromptList = lazy(async () => ({ default: (await import('./prompt-list.tsx')).PromptList }));
const PromptForm = lazy(async () => ({ default: (await import('./prompt-form.tsx')).PromptForm }));
const PromptManager = lazy(async () => ({
  default: (await import('./prompt-manager.tsx')).PromptManager,
}));

interface PromptListState {
  /** Attributes for the message field. */
  readonly attributes: object;
  /** Handles a key press in the field; true if the list has used it. */
  readonly onKeyDown: (event: KeyboardEvent) => boolean;
  readonly list: ReactNode;
}

/** State of the prompt list, which opens if the message begins with `/`. It is filtered by the words after the slash. */
export function usePromptList(text: string, insert: (text: string) => void): PromptListState {
  const listId = useId();
  const [active, setActive] = useState(0);
  const [isClosed, setClosed] = useState(false);
  const [chosen, setChosen] = useState<string>();
  const [isManaging, setManaging] = useState(false);
  const isCommand = text.startsWith('/') && !text.includes('\n');
  // Escape closes the list until another message begins.
  if (isClosed && !isCommand) setClosed(false);
  const isWanted = isCommand && !isClosed;
  const { data: prompts } = useQuery({ ...promptsQuery, enabled: isWanted });
  const words = text.slice(1).toLowerCase().split(/\s+/).filter(Boolean);
  const found = (prompts ?? []).filter(({ name }) =>
    words.every((word) => name.toLowerCase().includes(word)),
  );
  // The last option opens the prompt manager.
  const count = found.length + (words.length === 0 ? 1 : 0);
  const isOpen = isWanted && prompts !== undefined && count > 0;
  const position = Math.min(active, count - 1);
  const choose = (index: number) => {
    setActive(0);
    const prompt = found[index];
    if (prompt === undefined) setManaging(true);
    else if (variablesOf(prompt.text).length === 0) insert(prompt.text);
    else setChosen(prompt.text);
  };
  return {
    attributes: isOpen
      ? {
          'aria-autocomplete': 'list',
          'aria-controls': listId,
          'aria-activedescendant': `${listId}-${position}`,
        }
      : {},
    onKeyDown: (event) => {
      if (!isOpen || event.nativeEvent.isComposing) return false;
      moveByArrows(event, position, count, setActive);
      if (event.key === 'Escape') setClosed(true);
      else if ((event.key === 'Enter' && !event.shiftKey) || event.key === 'Tab') choose(position);
      else return event.defaultPrevented;
      event.preventDefault();
      return true;
    },
    list: (
      <Suspense>
        {isOpen && (
          <PromptList
            id={listId}
            prompts={found}
            hasManager={count > found.length}
            position={position}
            onHover={setActive}
            onChoose={choose}
          />
        )}
        {chosen !== undefined && (
          <PromptForm text={chosen} onClose={() => setChosen(undefined)} onInsert={insert} />
        )}
        {isManaging && <PromptManager onClose={() => setManaging(false)} />}
      </Suspense>
    ),
  };
}
