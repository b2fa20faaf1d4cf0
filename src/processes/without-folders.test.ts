import { expect, it } from 'vitest';
import { withoutFolders } from './without-folders.ts';

it('keeps the name of a file, not its folder', () => {
  expect(withoutFolders("Cannot find module '/opt/secret/tool.js' in D:\\home\\me")).toBe(
    "Cannot find module 'tool.js' in me",
  );
});
