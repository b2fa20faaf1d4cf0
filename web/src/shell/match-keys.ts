/** True if a keyboard event matches the keys of a command. */
export function matchesKeys(keys: string, event: KeyPress): boolean {
  const parts = keys.split('+');
  const key = parts.at(-1) ?? '';
  const needsMod = parts.includes('mod');
  if (needsMod !== (event.ctrlKey || event.metaKey) || event.altKey) return false;
  if (parts.includes('shift') && !event.shiftKey) return false;
  return event.key.toLowerCase() === key.toLowerCase();
}

type KeyPress = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>;
