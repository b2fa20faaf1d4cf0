import { describe, expect, it } from 'vitest';
import { assertFolderName, folderNameFrom } from './folder-name.ts';

describe('a folder of a model', () => {
  it.each(['con', 'NUL', 'aux.v2', 'COM1', 'lpt9.gguf', 'com\u00b9'])(
    'has no device name of Windows: %s',
    (name) => {
      expect(() => assertFolderName(name, 'repo')).toThrow(/device name of Windows/);
      expect(folderNameFrom(name)).toBe(`model-${name}`);
    },
  );

  it.each(['console', 'aux-model', 'com10', 'Größe 😀'])('may be called %s', (name) => {
    expect(() => assertFolderName(name, 'repo')).not.toThrow();
    expect(folderNameFrom(name)).toBe(name);
  });
});
