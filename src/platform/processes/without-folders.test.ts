import { expect, it } from 'vitest';
import { withoutFolders } from './without-folders.ts';

it('keeps file names and removes their folders', () => {
  expect(withoutFolders("Cannot find module '/opt/secret/tool.js' in D:\\home\\me")).toBe(
    "Cannot find module 'tool.js' in me",
  );
});
