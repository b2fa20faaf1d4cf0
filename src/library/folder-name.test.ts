import { describe, expect, it } from 'vitest';
import { assertFolderName, folderNameFrom, isPortableFileName } from './folder-name.ts';

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

describe('a file of a hub or an upload', () => {
  it.each(['a<b>.gguf', 'what?.gguf', 'a:b.gguf', 'a|b', '"a"', 'NUL.gguf', 'a.', '\ud800', ''])(
    'may not be called %j, which some system does not allow',
    (name) => {
      expect(isPortableFileName(name)).toBe(false);
    },
  );

  it.each(['Model-Q4_K_M.gguf', 'a b (1).gguf', 'Größe 😀.gguf', '.gitattributes'])(
    'may be called %s',
    (name) => {
      expect(isPortableFileName(name)).toBe(true);
    },
  );
});
